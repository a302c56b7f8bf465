// What the script of a thread does: an instance of the module in the memory that it is given, and then its share of every
// loop until it is ended. It hears nothing any more.
import type { FromThread, ToThread } from "./threads.ts";

interface WorkerScope {
  onmessage: ((event: { data: ToThread }) => void) | null;
  postMessage(message: FromThread): void;
}

export function takePart(): void {
  const scope = globalThis as unknown as WorkerScope;
  scope.onmessage = ({ data }) => {
    start(data).catch((error: unknown) => scope.postMessage({ kind: "failed", message: String(error) }));
  };

  async function start({ module, memory, takePart, loseThread, thread }: ToThread): Promise<void> {
    const imports: Record<string, Record<string, unknown>> = {};
    for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
      (imports[from] ??= {})[name] = kind === "memory" ? memory : notHere;
    }
    const { exports } = await WebAssembly.instantiate(module, imports as WebAssembly.Imports);
    const table = Object.values(exports).find((value) => value instanceof WebAssembly.Table)!;
    scope.postMessage({ kind: "ready" });
    try {
      (table.get(takePart) as (thread: number) => void)(thread);
    } catch (error) {
      (table.get(loseThread) as () => void)();
      throw error;
    }
  }
}

/** Loops call no JavaScript. */
function notHere(): never {
  throw new Error("this is no thread's to call");
}
