// In the place of a worker: the same on this thread, with a module instance of its own.
import { hosting } from "./hosting.ts";
import type { Hosting } from "./hosting.ts";
import type { FromWorker, MakeHost, ModuleWorker, ToWorker, Transfer } from "./messages.ts";

export class Here implements ModuleWorker {
  onmessage: ModuleWorker["onmessage"] = null;
  onerror: ModuleWorker["onerror"] = null;
  readonly #hosting: Hosting;
  #ended = false;

  constructor(makers: readonly MakeHost[]) {
    this.#hosting = hosting(makers, (data) => {
      if (!this.#ended) this.onmessage?.({ data } as MessageEvent<FromWorker>);
      return !this.#ended; // which what was told may have changed
    });
  }

  /** It is heard later, as in a worker: the page may draw before. */
  postMessage(message: ToWorker, options: Transfer = {}): void {
    const copy = "module" in message ? message : structuredClone(message, options);
    setTimeout(() => this.#ended || this.#hosting.receive(copy));
  }

  terminate(): void {
    this.#ended = true;
    this.#hosting.end();
  }
}
