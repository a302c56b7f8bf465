// The published worker.js in a thread of Node, which stands in for the browser's Worker.
import { readFileSync } from "node:fs";
import { Worker as Thread } from "node:worker_threads";
import type { WorkerLike } from "../../bindings/entry/full.ts";
import type { Transfer } from "../../bindings/worker/messages.ts";

export const source = readFileSync(new URL("../../build/package/worker.js", import.meta.url), "utf8");
const prelude = `
  const { parentPort } = require("node:worker_threads");
  globalThis.postMessage = (message, { transfer } = {}) => parentPort.postMessage(message, transfer);
  parentPort.on("message", (data) => globalThis.onmessage({ data }));
`;

export const open = new Set<NodeWorker>();
export const opened = { count: 0 };

export class NodeWorker implements WorkerLike {
  onmessage: WorkerLike["onmessage"] = null;
  onerror: WorkerLike["onerror"] = null;
  readonly thread: Thread;

  constructor(code = source) {
    this.thread = new Thread(`${prelude}\n${code}`, { eval: true });
    this.thread.on("message", (data: unknown) => this.onmessage?.({ data } as MessageEvent<never>));
    this.thread.on("error", (error: Error) => this.onerror?.({ message: error.message } as ErrorEvent));
    open.add(this);
    ++opened.count;
  }

  postMessage(message: unknown, { transfer = [] }: Transfer = {}): void {
    this.thread.postMessage(message, transfer);
  }

  ref(): void {
    this.thread.ref();
  }

  unref(): void {
    this.thread.unref();
  }

  terminate(): void {
    open.delete(this);
    void this.thread.terminate();
  }

  /** It ends without a word, as where the browser takes its memory. */
  die(): Promise<number> {
    return this.thread.terminate();
  }

  /** It ends, and this side is told. */
  crash(): void {
    void this.thread.terminate();
    this.onerror?.({ message: "boom" } as ErrorEvent);
  }
}
