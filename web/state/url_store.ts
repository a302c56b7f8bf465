// The page's hash as shared state: elements read their values, write what differs from the defaults and
// hear of changes that they did not make (a link followed, Back).
import {
  maxHashLength,
  parseHash,
  readElement,
  writeElement,
  type Texts,
  type UrlState,
} from "./url_state.ts";

type Listener = () => void;

/** Browsers refuse more than about 100 changes of the address in 30 seconds: write at most this often. */
const writeInterval = 400;

export class UrlStore {
  #state: UrlState;
  #listeners = new Set<Listener>();
  #pending: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
    this.#state = parseHash(window.location.hash);
    window.addEventListener("hashchange", () => {
      this.#pending = undefined; // what the reader navigated to wins
      this.#state = parseHash(this.#window.location.hash);
      for (const listener of [...this.#listeners]) listener();
      this.showSection();
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

  /** False where the values are too long for an address; the hash then stays as it was. */
  write(element: string, texts: Texts, defaults: Texts): boolean {
    const hash = writeElement(this.#state, element, texts, defaults);
    if (hash.length > maxHashLength) return false;
    this.#state = parseHash(hash);
    this.#pending = hash;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, writeInterval);
    return true;
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

  /** Scrolls to the section that the hash names: with values behind it, browsers do not find it themselves. */
  showSection(): void {
    if (this.#state.section && this.#window.location.hash.includes("&")) {
      this.#window.document.getElementById(this.#state.section)?.scrollIntoView();
    }
  }

  #flush(): void {
    if (this.#pending === undefined) return;
    const { history, location } = this.#window;
    const address = `${location.pathname}${location.search}${this.#pending}`;
    this.#pending = undefined;
    try {
      history.replaceState(history.state, "", address);
    } catch {
      // A document without an address of its own (srcdoc, file) keeps its state to itself.
    }
  }
}
