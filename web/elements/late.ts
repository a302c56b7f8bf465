/** Something that is shown after a while, unless it is forgotten before. */
export class Late<T> {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #held: { value: T } | undefined;
  readonly #show: (value: T) => void;

  constructor(show: (value: T) => void) {
    this.#show = show;
  }

  get waits(): boolean {
    return this.#held !== undefined;
  }

  set(value: T, milliseconds: number): void {
    this.forget();
    this.#held = { value };
    this.#timer = setTimeout(() => this.now(), milliseconds);
  }

  /** Without waiting any longer. */
  now(): void {
    const held = this.#held;
    this.forget();
    if (held) this.#show(held.value);
  }

  forget(): void {
    clearTimeout(this.#timer);
    this.#held = undefined;
  }
}
