// The worker: takes the compiled module once, then requests and orders one after the other.
import { SqrtdkError } from "./errors.ts";
import type { ErrorFields } from "./errors.ts";
import { instantiate } from "./module.ts";
import { Border } from "./raw.ts";
import { makeRunner } from "./runner.ts";
import type { Runner } from "./runner.ts";
import type { FromTrainers, ToTrainers } from "./trainer_messages.ts";
import { makeHost } from "./training.ts";

export type ToWorker =
  | { readonly module: WebAssembly.Module }
  | { readonly request: string; readonly progress: boolean }
  | { readonly order: ToTrainers };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly share: number }
  | { readonly kind: "done"; readonly json: string }
  | { readonly kind: "error"; readonly type: string; readonly fields: ErrorFields; readonly message: string }
  | { readonly kind: "trainer"; readonly report: FromTrainers }
  | { readonly kind: "failed"; readonly message: string }; // the module itself: it cannot go on

interface WorkerScope {
  onmessage: ((event: { data: ToWorker }) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
}

const kProgressInterval = 16; // ms between reports: a frame

const scope = globalThis as unknown as WorkerScope;
let parts: Promise<{ runner: Runner; host: ReturnType<typeof makeHost> }> | undefined;

scope.onmessage = ({ data }) => {
  receive(data).catch((error: unknown) => scope.postMessage({ kind: "failed", message: String(error) }));
};

async function receive(message: ToWorker): Promise<void> {
  if ("module" in message) {
    parts = instantiate(message.module).then((raw) => {
      const border = new Border(raw);
      const post = (report: FromWorker, transfer: Transferable[]): void =>
        scope.postMessage(report, transfer);
      return { runner: makeRunner(border), host: makeHost(border, post) };
    });
    await parts;
    scope.postMessage({ kind: "ready" });
  } else if (parts) {
    const { runner, host } = await parts;
    if ("order" in message) host.receive(message.order);
    else scope.postMessage(answer(runner, message.request, message.progress));
  }
}

function answer(runner: Runner, request: string, progress: boolean): FromWorker {
  let last = 0;
  const onProgress = (share: number): void => {
    if (performance.now() - last < kProgressInterval) return;
    last = performance.now();
    scope.postMessage({ kind: "progress", share });
  };
  try {
    return { kind: "done", json: runner.run(request, progress ? { onProgress } : {}) };
  } catch (error) {
    if (!(error instanceof SqrtdkError)) throw error;
    const { name, code, operator, argument, expected, got, message } = error;
    return { kind: "error", type: name, fields: { code, operator, argument, expected, got }, message };
  }
}
