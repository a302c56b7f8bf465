// Opening a worker in Node: a thread that looks to its script like a browser's worker.
import { readFileSync } from "node:fs";
import { Worker as Thread } from "node:worker_threads";
import type { FromWorker, ModuleWorker, Script, ToWorker, Transfer } from "../worker/messages.ts";
import { locate } from "./locate.ts";

const prelude = `{
  const { parentPort } = process.getBuiltinModule("node:worker_threads");
  globalThis.postMessage = (message, { transfer } = {}) => parentPort.postMessage(message, transfer);
  parentPort.on("message", (data) => globalThis.onmessage({ data }));
}`;

/** Throws where the script cannot be read. */
export function openScript(script: Script): ModuleWorker {
  const isText = typeof script === "object" && "source" in script;
  return new ThreadWorker(isText ? script.source : readFileSync(locate(script), "utf8"));
}

class ThreadWorker implements ModuleWorker {
  onmessage: ModuleWorker["onmessage"] = null;
  onerror: ModuleWorker["onerror"] = null;
  readonly #thread: Thread;
  #ended = false;

  constructor(script: string) {
    this.#thread = new Thread(prelude + script, { eval: true });
    this.#thread.on("message", (data: FromWorker) => this.onmessage?.({ data } as MessageEvent<FromWorker>));
    this.#thread.on("error", ({ message }: Error) => this.#lose(message));
    this.#thread.on("exit", () => this.#lose("the thread ended"));
  }

  postMessage(message: ToWorker, { transfer = [] }: Transfer = {}): void {
    this.#thread.postMessage(message, transfer);
  }

  terminate(): void {
    this.#ended = true;
    void this.#thread.terminate();
  }

  ref(): void {
    this.#thread.ref();
  }

  unref(): void {
    this.#thread.unref();
  }

  /** Told once. */
  #lose(message: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.onerror?.({ message } as ErrorEvent);
  }
}
