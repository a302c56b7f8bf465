// The worker: takes the compiled module once, then requests and orders one after the other.
import { SqrtdkError } from "../api/errors.ts";
import { instantiate } from "../api/module.ts";
import type { Glue } from "../api/module.ts";
import { Border } from "../api/raw.ts";
import { makeRunner } from "../api/runner.ts";
import type { Runner } from "../api/runner.ts";
import type { FromWorker, ToTrainers, ToWorker } from "./messages.ts";

interface WorkerScope {
  onmessage: ((event: { data: ToWorker }) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
}

const kProgressInterval = 16; // ms between reports: a frame

const scope = globalThis as unknown as WorkerScope;

type Post = (message: FromWorker, transfer: Transferable[]) => void;

/** Listens to the page. `makeHost` hosts trainers, in a module that has them. */
export function serve(
  glue: Glue,
  makeHost?: (border: Border, post: Post) => { receive(order: ToTrainers): void },
): void {
  let parts:
    Promise<{ runner: Runner; host: ReturnType<NonNullable<typeof makeHost>> | undefined }> | undefined;

  async function receive(message: ToWorker): Promise<void> {
    if ("module" in message) {
      parts = instantiate(glue, message.module).then((raw) => {
        const border = new Border(raw);
        const host = makeHost?.(border, (report, transfer) => scope.postMessage(report, transfer));
        return { runner: makeRunner(border), host };
      });
      await parts;
      scope.postMessage({ kind: "ready" });
    } else if (parts) {
      const { runner, host } = await parts;
      if ("order" in message) host?.receive(message.order);
      else scope.postMessage(answer(runner, message.request, message.progress));
    }
  }

  scope.onmessage = ({ data }) => {
    receive(data).catch((error: unknown) => scope.postMessage({ kind: "failed", message: String(error) }));
  };
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
