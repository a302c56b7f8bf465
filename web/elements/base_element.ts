// What every element does: start when seen, take over its printed markup, follow its attributes, its
// language and the page's address, and draw at most once a frame.
import { render, type TemplateResult } from "lit/html.js";
import type { RunResult } from "../../bindings/api/types.ts";
import type { Frame } from "./frame.ts";
import { adoptProperties } from "./mirror.ts";
import { codeOf, problemOf } from "./problems.ts";
import type { RoomLook } from "./room.ts";
import { currentSetup, type Experiments, type Setup, type TakeOver } from "./setup.ts";
import { turn } from "./turn.ts";
import { emptyVocabulary, languageOf, ui, type Language, type Vocabulary } from "../words/vocabulary.ts";

// In Node there is nothing to extend, and nothing to define.
const Base = globalThis.HTMLElement ?? Object;

const held = -1; // in place of the number of a frame
let compiled = false; // the templates of a result

/** What the event "change" says: the settings, and the result with them once there is one. */
export interface Change {
  readonly params: Readonly<Record<string, string>>;
  readonly result?: RunResult | undefined;
}

/**
 * @cssprop --sqrtdk-paper - The ground. By default there is none, and what lies on marks has the colour of the page around.
 * @cssprop --sqrtdk-ink - Text and axes.
 * @cssprop --sqrtdk-muted - Text that matters less.
 * @cssprop --sqrtdk-hairline - Thin lines.
 * @cssprop --sqrtdk-wash - Faint grounds.
 * @cssprop --sqrtdk-scaled - Marks of what is divided by √d.
 * @cssprop --sqrtdk-unscaled - Marks of what is not divided.
 * @cssprop --sqrtdk-own - Marks of the reader's own choice.
 * @cssprop --sqrtdk-heat - Large values in heat maps.
 * @cssprop --sqrtdk-alarm - What fails, and numbers that are none.
 * @cssprop --sqrtdk-focus - The ring around what has the focus.
 * @cssprop --sqrtdk-radius - The corners of buttons and frames.
 * @cssprop --sqrtdk-font-body - The font of the question.
 * @cssprop --sqrtdk-font-ui - The font of controls, charts and tables.
 * @cssprop --sqrtdk-font-mono - The font of printed lines and hashes.
 * @csspart button - Every button.
 * @csspart error - What is wrong, in words.
 */
export abstract class SqrtdkElement extends Base {
  /** A style sheet of one's own for elements in a shadow root, after ours. */
  static styles = "";
  /** The properties that pages may set before the class is known. */
  static properties: readonly string[] = [];

  protected root!: HTMLElement;
  protected setup!: Setup;
  protected here!: Experiments;
  protected vocabulary: Vocabulary = emptyVocabulary;
  /** What is shown, once the element lives; an event "result" tells when it, or `stale`, has changed. */
  result: RunResult | undefined;
  /** What is shown belongs to other settings. */
  stale = false;
  #frame: Frame | undefined; // in other people's pages
  #begun: string | undefined; // with which experiment
  #drawn = false;
  #told: RunResult | null | undefined;
  #drawing = 0;
  #seen: IntersectionObserver | undefined;
  #attributes: MutationObserver | undefined;
  #unsubscribe: (() => void) | undefined;
  #meant: ReturnType<TakeOver["untilMeant"]> | undefined; // until then nothing is loaded
  #repeat: (() => void) | undefined; // presses what was pressed while nothing could answer

  /** Whose runs the element shows. */
  abstract get experiment(): string;
  /** Compiles what `begin` calls, in a task before it. */
  protected prepare?(here: Experiments): void;
  /** Everything is loaded: read the state, start the first run, call `draw`; in several tasks where that takes long. */
  protected abstract begin(): void | Promise<void>;
  protected abstract view(): TemplateResult;
  /** The texts of the address or of these attributes changed. */
  protected abstract follow(attributes?: readonly string[]): void;
  /** Called before each drawing: where input of several events becomes one run. */
  protected beforeDraw(): void {}
  protected stop(): void {}
  /** It came into sight, or went out of it. */
  protected sighted?(seen: boolean): void;
  /** The room that it will take. */
  protected roomLook(): RoomLook | undefined {
    return undefined;
  }

  get prerendered(): boolean {
    return this.hasAttribute("prerendered");
  }

  connectedCallback(): void {
    adoptProperties(this, (this.constructor as typeof SqrtdkElement).properties);
    this.setup = currentSetup();
    this.root ??= this.prerendered ? this : this.#shadow();
    if (this.#begun !== undefined) {
      this.#listen();
      this.#watch();
      this.requestDraw();
      return;
    }
    const look = this.#frame && this.roomLook();
    if (look) this.#frame?.reserve(look); // nothing below moves when it is drawn
    if (this.prerendered) {
      this.#meant = this.setup.takeOver?.untilMeant(this, (repeat) => {
        this.#unsubscribe?.();
        this.#repeat = repeat;
        void this.#load();
      });
    }
    this.#watch();
  }

  /** Starts it when it is seen. */
  #watch(): void {
    let started = this.#begun !== undefined;
    this.#seen = new IntersectionObserver(
      (entries) => {
        const seen = entries.at(-1)!.isIntersecting;
        if (started) {
          this.sighted?.(seen);
          return;
        }
        if (!seen) return;
        started = true;
        if (this.prerendered) this.#seen?.disconnect();
        this.#start();
      },
      { rootMargin: "400px" },
    );
    if (!started || !this.prerendered) this.#seen.observe(this);
  }

  /** Loads at once, unless the page lets this experiment wait until a reader means it. */
  #start(): void {
    const { store, waits } = this.setup;
    this.#frame?.followTheme();
    const asked = (): boolean => store?.has(this.experiment) ?? false;
    if (!this.#meant) void this.#load();
    else if (!waits?.(this.experiment) || asked()) this.#meant.end();
    else
      this.#unsubscribe = store?.subscribe(() => {
        if (asked()) this.#meant?.end();
      });
  }

  disconnectedCallback(): void {
    this.#seen?.disconnect();
    this.#meant?.cancel();
    this.#attributes?.disconnect();
    this.#unsubscribe?.();
    cancelAnimationFrame(this.#drawing);
    this.#drawing = 0;
    this.stop();
  }

  protected requestDraw(): void {
    this.#drawing ||= requestAnimationFrame(() => {
      this.#drawing = 0;
      this.beforeDraw();
      this.draw();
    });
  }

  /** Nothing is drawn until `draw` is called. */
  protected holdDrawing(): void {
    cancelAnimationFrame(this.#drawing);
    this.#drawing = held;
  }

  /** In short tasks: of a page's first result, a drawing that nobody sees compiles the templates. */
  protected async drawFirst(view: TemplateResult): Promise<void> {
    if (compiled) return;
    compiled = true;
    this.holdDrawing();
    await turn();
    render(view, document.createElement("div"));
    await turn();
    if (!this.isConnected) return;
    this.draw();
    this.requestDraw(); // for what has changed meanwhile
  }

  /** Now, in this task: the printed markup and its successor never stand side by side. */
  protected draw(): void {
    if (this.#drawing === held) this.#drawing = 0;
    if (!this.#drawn) this.root.replaceChildren();
    this.#drawn = true;
    render(this.view(), this.root);
    this.#frame?.drawn();
    if (this.#repeat) queueMicrotask(this.#repeat);
    this.#repeat = undefined;
    const told = this.stale ? null : this.result;
    if (told === this.#told) return;
    this.#told = told;
    this.dispatchEvent(new Event("result"));
  }

  /** The reader has changed something. */
  protected tellChange(detail: Change): void {
    this.#frame?.release();
    this.dispatchEvent(new CustomEvent("change", { detail, bubbles: true, composed: true }));
  }

  protected get language(): Language {
    return languageOf(languageAround(this));
  }

  #shadow(): HTMLElement {
    if (!this.setup.frame) throw new Error(`<${this.localName}> was not printed`);
    this.#frame = this.setup.frame(this, (this.constructor as typeof SqrtdkElement).styles);
    this.#frame.element.lang = this.language;
    return this.#frame.element;
  }

  async #load(): Promise<void> {
    const { experiment } = this;
    const words = this.setup
      .vocabulary(this.language, experiment)
      .then((vocabulary) => (this.vocabulary = vocabulary));
    try {
      const [here] = await Promise.all([this.setup.kernels.here(experiment), words]);
      await turn();
      if (this.prepare) {
        this.prepare(here);
        await turn();
      }
      if (!this.isConnected || this.#begun === experiment || experiment !== this.experiment) return;
      this.here = here;
      this.#begun = experiment;
      this.#frame?.hold();
      let asked = false; // by the address, meanwhile
      this.#unsubscribe?.();
      this.#unsubscribe = this.setup.store?.subscribe(() => (asked = true));
      await this.begin();
      if (!this.isConnected) return;
      this.#listen();
      if (asked) this.follow();
    } catch (error) {
      await words.catch(() => emptyVocabulary);
      this.#fail(error);
    }
  }

  #listen(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = this.setup.store?.subscribe(() => this.follow());
    this.#observe();
  }

  #observe(): void {
    this.#attributes?.disconnect();
    this.#attributes = new MutationObserver((records) => {
      const names = records.map(({ attributeName }) => attributeName ?? "");
      if (this.experiment !== this.#begun) {
        this.stop();
        void this.#load();
        return;
      }
      if (names.includes("lang")) void this.#translate();
      this.follow(names);
    });
    this.#attributes.observe(this, { attributes: true });
  }

  async #translate(): Promise<void> {
    this.vocabulary = await this.setup.vocabulary(this.language, this.experiment);
    if (this.#frame) this.root.lang = this.language;
    this.follow();
  }

  /** What is printed stays; what happened is said below it. */
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
    if (this.#frame) {
      this.#drawn = false;
      this.#begun = undefined;
      this.#frame.fail(said);
      this.#observe(); // it may become another experiment
    } else this.root.append(said);
  }
}

/** The nearest `lang`, also of the shadow roots around. */
function languageAround(element: Element): string | undefined {
  const found = element.closest("[lang]");
  const root = element.getRootNode();
  if (found) return found.getAttribute("lang") ?? "";
  return root instanceof ShadowRoot ? languageAround(root.host) : undefined;
}
