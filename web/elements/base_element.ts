// What every element does: start when seen, take over its printed markup, follow its attributes, its
// language and the page's address, and draw at most once a frame.
import { render, type TemplateResult } from "lit/html.js";
import type { RunResult } from "../../bindings/api/types.ts";
import { codeOf, problemOf } from "./problems.ts";
import { currentSetup, type Experiments, type Setup } from "./setup.ts";
import { untilMeant } from "./meant.ts";
import { emptyVocabulary, languageOf, ui, type Language, type Vocabulary } from "../words/vocabulary.ts";

// In Node there is nothing to extend, and nothing to define.
const Base = globalThis.HTMLElement ?? Object;

export abstract class SqrtdkElement extends Base {
  protected root!: HTMLElement | ShadowRoot;
  protected setup!: Setup;
  protected here!: Experiments;
  protected vocabulary: Vocabulary = emptyVocabulary;
  /** What is shown, once the element lives; an event "result" tells when it, or `stale`, has changed. */
  result: RunResult | undefined;
  /** What is shown belongs to other settings. */
  stale = false;
  #begun = false;
  #drawn = false;
  #told: RunResult | null | undefined;
  #frame = 0;
  #seen: IntersectionObserver | undefined;
  #attributes: MutationObserver | undefined;
  #unsubscribe: (() => void) | undefined;
  #waiting: ReturnType<typeof untilMeant> | undefined;

  /** Whose runs the element shows. */
  abstract get experiment(): string;
  /** Everything is loaded: read the state, start the first run, call `draw`. */
  protected abstract begin(): void;
  protected abstract view(): TemplateResult;
  /** The texts of attributes or address changed. */
  protected abstract follow(): void;
  /** Called before each drawing: where input of several events becomes one run. */
  protected beforeDraw(): void {}
  protected stop(): void {}

  get prerendered(): boolean {
    return this.hasAttribute("prerendered");
  }

  connectedCallback(): void {
    this.setup = currentSetup();
    this.root ??= this.prerendered ? this : this.#shadow();
    if (this.#begun) {
      this.#listen();
      this.requestDraw();
      return;
    }
    this.#seen = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        this.#seen?.disconnect();
        this.#start();
      },
      { rootMargin: "400px" },
    );
    this.#seen.observe(this);
  }

  /** Loads at once, unless the page lets this experiment wait until a reader means it. */
  #start(): void {
    const { store, waits } = this.setup;
    if (!this.prerendered || !waits?.(this.experiment) || store?.has(this.experiment)) {
      void this.#load();
      return;
    }
    this.#waiting = untilMeant(this, (repeat) => {
      this.#unsubscribe?.();
      void this.#load().then(repeat);
    });
    this.#unsubscribe = store?.subscribe(() => {
      if (store.has(this.experiment)) this.#waiting?.end();
    });
  }

  disconnectedCallback(): void {
    this.#seen?.disconnect();
    this.#waiting?.cancel();
    this.#attributes?.disconnect();
    this.#unsubscribe?.();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.stop();
  }

  protected requestDraw(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.beforeDraw();
      this.draw();
    });
  }

  /** Now, in this task: the printed markup and its successor never stand side by side. */
  protected draw(): void {
    if (!this.#drawn) this.root.replaceChildren();
    this.#drawn = true;
    render(this.view(), this.root);
    const told = this.stale ? null : this.result;
    if (told === this.#told) return;
    this.#told = told;
    this.dispatchEvent(new Event("result"));
  }

  protected get language(): Language {
    return languageOf(this.closest("[lang]")?.getAttribute("lang") ?? document.documentElement.lang);
  }

  #shadow(): ShadowRoot {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    if (this.setup.styles) root.adoptedStyleSheets = [this.setup.styles()];
    const space = document.createElement("div");
    space.className = "figure-loading"; // holds the room until there is something to draw
    root.replaceChildren(space);
    return root;
  }

  async #load(): Promise<void> {
    const words = this.setup
      .vocabulary(this.language, this.experiment)
      .then((vocabulary) => (this.vocabulary = vocabulary));
    try {
      [this.here] = await Promise.all([this.setup.kernels.here(this.experiment), words]);
      if (!this.isConnected || this.#begun) return;
      this.#begun = true;
      this.begin();
      this.#listen();
    } catch (error) {
      await words.catch(() => emptyVocabulary);
      this.#fail(error);
    }
  }

  #listen(): void {
    this.#unsubscribe = this.setup.store?.subscribe(() => this.follow());
    this.#attributes = new MutationObserver((records) => {
      if (records.some((record) => record.attributeName === "lang")) void this.#translate();
      this.follow();
    });
    this.#attributes.observe(this, { attributes: true });
  }

  async #translate(): Promise<void> {
    this.vocabulary = await this.setup.vocabulary(this.language, this.experiment);
    this.follow();
  }

  /** The printed figure stays; what happened is said below it. */
  #fail(error: unknown): void {
    const loading = codeOf(error) === "load_failed" || this.vocabulary === emptyVocabulary;
    const reason = error instanceof Error ? error.message : String(error);
    const printed =
      this.vocabulary === emptyVocabulary ? reason : ui(this.vocabulary, "load_failed", { message: reason });
    const text = loading ? printed : problemOf(error, this.vocabulary).message;
    const said = document.createElement("p");
    said.className = "control-error";
    said.setAttribute("role", "alert");
    said.textContent = text;
    if (!this.prerendered) this.root.replaceChildren();
    this.root.append(said);
  }
}
