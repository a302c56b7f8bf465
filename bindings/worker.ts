// The worker: takes the compiled module once, then one request after the other.
import { SqrtdkError } from "./errors.ts";
import type { ErrorFields } from "./errors.ts";
import { instantiate } from "./module.ts";
import { Border } from "./raw.ts";
import { makeRunner } from "./runner.ts";
import type { Runner } from "./runner.ts";

export type ToWorker =
  { readonly module: WebAssembly.Module } | { readonly request: string; readonly progress: boolean };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly share: number }
  | { readonly kind: "done"; readonly json: string }
  | { readonly kind: "error"; readonly type: string; readonly fields: ErrorFields; readonly message: string }
  | { readonly kind: "failed"; readonly message: string }; // the module itself: it cannot go on

interface WorkerScope {
  onmessage: ((event: { data: ToWorker }) => void) | null;
  postMessage(message: FromWorker): void;
}

const kProgressInterval = 16; // ms between reports: a frame

const scope = globalThis as unknown as WorkerScope;
let runner: Promise<Runner> | undefined;

scope.onmessage = ({ data }) => {
  receive(data).catch((error: unknown) => scope.postMessage({ kind: "failed", message: String(error) }));
};

async function receive(message: ToWorker): Promise<void> {
  if ("module" in message) {
    runner = instantiate(message.module).then((raw) => makeRunner(new Border(raw)));
    await runner;
    scope.postMessage({ kind: "ready" });
  } else if (runner) {
    scope.postMessage(answer(await runner, message.request, message.progress));
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
