// The page's hash as shared state: elements read their values, write what differs from the defaults and
// hear of changes that they did not make (a link followed, Back). The browser's history has an entry for each
// control that was changed, or that was changed again after a rest.
import {
  maxHashLength,
  parseHash,
  readElement,
  writeElement,
  type Texts,
  type UrlState,
} from "./url_state.ts";

type Listener = () => void;

/** The state of the history's entries that were made here. */
const own = { sqrtdk: true };
const isOwn = (state: unknown): boolean => (state as Partial<typeof own> | null)?.sqrtdk === true;

/** Browsers refuse more than about 100 changes of the address in 30 seconds: write at most this often. */
const writeInterval = 400;
/** Milliseconds without a change after which the next one is an entry of its own. */
const rest = 2000;

export class UrlStore {
  #state: UrlState;
  #listeners = new Set<Listener>();
  #pending: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the newest entry of the history is about, and when that changed; undefined: what the reader came to. */
  #entry: { control: string; time: number } | undefined;
  #begins = false; // whether what is pending is an entry of its own
  #written = Number.NEGATIVE_INFINITY; // when
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
    this.#state = parseHash(window.location.hash);
    window.addEventListener("hashchange", () => {
      this.#pending = undefined; // what the reader navigated to wins
      this.#entry = undefined;
      this.#begins = false;
      this.#state = parseHash(this.#window.location.hash);
      for (const listener of [...this.#listeners]) listener();
      if (!isOwn(this.#window.history.state)) this.#showFigure(); // Back and Forward return to a place by themselves
    });
    window.addEventListener("pagehide", () => this.#flush());
  }

  get section(): string {
    return this.#state.section;
  }

  read(element: string, defaults: Texts): ReturnType<typeof readElement> {
    return readElement(this.#state, element, defaults);
  }

  /** Whether the address gives this element values of its own. */
  has(element: string): boolean {
    return this.#state.elements.has(element);
  }

  /** `control`: what was changed. False where the values are too long for an address; the hash then stays as it was. */
  write(element: string, texts: Texts, defaults: Texts, control = ""): boolean {
    const hash = writeElement(this.#state, element, texts, defaults);
    if (hash.length > maxHashLength) return false;
    this.#enter(`${element}.${control}`);
    this.#state = parseHash(hash);
    this.#pending = hash;
    if (this.#begins && this.#mayWrite())
      this.#flush(); // at once, so that Back leads to what was before
    else this.#later();
    return true;
  }

  /** A change of `control`: of what the newest entry is about, or the first of another. */
  #enter(control: string): void {
    const time = performance.now();
    const entry = this.#entry;
    if (entry?.control !== control || time - entry.time > rest) {
      if (this.#mayWrite()) this.#flush(); // the end of the change before
      this.#begins = true;
    }
    this.#entry = { control, time };
  }

  #mayWrite(): boolean {
    return performance.now() - this.#written >= writeInterval;
  }

  #later(): void {
    const wait = Math.max(0, this.#written + writeInterval - performance.now());
    this.#timer ??= setTimeout(() => this.#flush(), wait);
  }

  /** The address that shows `element` with these values, or undefined where it would be too long. */
  link(element: string, texts: Texts, defaults: Texts): string | undefined {
    const empty: UrlState = { section: element, elements: new Map(), problems: [] };
    const hash = writeElement(empty, element, texts, defaults);
    if (hash.length > maxHashLength) return undefined;
    return new URL(hash, this.#window.location.href).href;
  }

  /** Calls `listener` after the hash was changed from outside; returns how to stop. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Scrolls to the figure whose values the hash names, unless it is in sight. */
  #showFigure(): void {
    const { document, location, innerHeight } = this.#window;
    if (!location.hash.includes("&")) return; // else the browser finds the place by itself
    const place = document.getElementById(this.#state.section);
    const figure = place?.querySelector("[prerendered]") ?? place;
    const { top = 0, bottom = 0 } = figure?.getBoundingClientRect() ?? {};
    if (top > innerHeight / 2 || bottom < innerHeight / 2) figure?.scrollIntoView();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending === undefined) return;
    const { history, location } = this.#window;
    const address = `${location.pathname}${location.search}${this.#pending}`;
    const isSame = this.#pending === location.hash;
    this.#pending = undefined;
    if (isSame) return;
    this.#written = performance.now();
    try {
      if (this.#begins) history.pushState(own, "", address);
      else history.replaceState(history.state, "", address);
      this.#begins = false;
    } catch {
      // A document without an address of its own (srcdoc, file) keeps its state to itself.
    }
  }
}
