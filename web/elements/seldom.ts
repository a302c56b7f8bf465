// Work that follows fast events seldom enough to leave the page free.

const share = 0.2; // of the time, at most

export class Seldom {
  readonly #task: () => void;
  readonly #least: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #next = 0;

  /** `least`: milliseconds from run to run. */
  constructor(task: () => void, least = 100) {
    this.#task = task;
    this.#least = least;
  }

  /** The task runs soon; of many calls until then, once. */
  ask(): void {
    this.#timer ??= setTimeout(() => this.now(), Math.max(0, this.#next - performance.now()));
  }

  now(): void {
    this.stop();
    const start = performance.now();
    this.#task();
    const end = performance.now();
    this.#next = end + Math.max(this.#least, (end - start) / share);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
