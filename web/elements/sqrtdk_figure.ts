// <sqrtdk-figure experiment="article_snippet" d="32,128" seed="7" lang="zh">: any experiment, drawn from its
// description and its result. Every parameter is an attribute.
import type { TemplateResult } from "lit/html.js";
import type { RunResult } from "../../bindings/api/types.ts";
import type { Cell } from "../charts/context.ts";
import { SqrtdkElement } from "./base_element.ts";
import {
  defaultTexts,
  isUnfinished,
  presetTexts,
  sameTexts,
  stillState,
  type CopyKind,
  type ExportKind,
  type FigureActions,
  type FigureState,
} from "./figure_state.ts";
import { figureView } from "./figure_view.ts";
import { pointedText, spokenOf } from "./parts.ts";
import { codeOf, problemOf, quietly } from "./problems.ts";
import { Runner, type RunListener } from "./runner.ts";
import type { CodeKind } from "./code_export.ts";
import { copyText, hasFile, linked, saved } from "./take_away.ts";
import { Late } from "./late.ts";
import { remember, type Remembered } from "./take_over.ts";
import { ui } from "../words/vocabulary.ts";

export type FigureRunner = Pick<Runner, "start" | "cancel" | "busy">;

/** Milliseconds after the last key before an error is shown, and before a result is spoken. */
const typing = 400; // below 500 the move of what is below counts as the reader's own
const unfinished = 2500; // where a list ends with a comma, and more is to come
const resting = 900;
const wording = 300; // before words are taken as written

export class SqrtdkFigure extends SqrtdkElement implements FigureActions {
  protected state!: FigureState;
  #runner!: FigureRunner;
  #remembered: Remembered | undefined;
  #changed = false; // texts that no run has seen
  #shown: FigureState["texts"] | undefined; // the settings of what is shown
  /** Problems of the address or of a file: no run decides on them, they stay until the reader changes something. */
  #otherProblems: FigureState["problems"] = [];
  readonly #words = new Late<string>((param) => this.#change(this.state.texts, param)); // taken as written
  readonly #late = new Late<FigureState["problems"][number]>((problem) => this.set({ problems: [problem] }));
  #spokenTimer: ReturnType<typeof setTimeout> | undefined;
  #noteTimer: ReturnType<typeof setTimeout> | undefined;

  get experiment(): string {
    return this.getAttribute("experiment") ?? "";
  }

  protected override begin(): void {
    const description = this.here.experiment(this.experiment).describe();
    this.#runner = this.makeRunner({
      done: (result, texts) => this.#done(result, texts),
      failed: (error) => this.#failed(error),
      progress: (running) => this.set({ running }),
    });
    const printed = defaultTexts(description);
    if (this.prerendered) {
      this.#remembered = remember(this, description, printed);
      this.#shown = printed;
    }
    this.state = {
      ...stillState(description, undefined, this.vocabulary),
      headed: !this.prerendered,
      linkable: this.setup.store !== undefined,
      ...this.#remembered?.page,
    };
    this.#read();
    this.state = { ...this.state, played: !sameTexts(this.state.texts, this.state.defaults) }; // by who made the address
    this.root.addEventListener("focusout", () => this.#late.now());
    if (Object.keys(this.#remembered?.texts ?? {}).length > 0) {
      this.#change({ ...this.state.texts, ...this.#remembered?.texts });
      this.#changed = false; // the run comes at once
    }
    this.#runner.start(this.state.texts, { wait: false });
    this.draw();
    this.#remembered?.restore(this.root);
    this.#remembered = undefined;
  }

  /** What computes results. */
  protected makeRunner(listener: RunListener): FigureRunner {
    return new Runner(this.setup.kernels, this.here, this.experiment, listener);
  }

  protected override view(): TemplateResult {
    const problems = [...this.#otherProblems, ...this.state.problems];
    const shown = this.shownTexts();
    this.stale = shown !== undefined && !sameTexts(shown, this.state.texts);
    this.result = this.state.result;
    return this.template({ ...this.state, problems, stale: this.stale, busy: this.#runner.busy });
  }

  /** The settings of the result that is shown, or of the printed one; undefined where there is none. */
  protected shownTexts(): FigureState["texts"] | undefined {
    return this.#shown;
  }

  protected template(state: FigureState): TemplateResult {
    return figureView(state, this);
  }

  protected override follow(): void {
    const before = this.state.texts;
    this.#read();
    if (!sameTexts(this.state.texts, before)) {
      this.#changed = true;
      this.played();
    }
    this.requestDraw();
  }

  protected override stop(): void {
    if (this.#words.waits) this.#changed = true;
    for (const late of [this.#late, this.#words]) late.forget();
    for (const timer of [this.#spokenTimer, this.#noteTimer]) clearTimeout(timer);
    if (this.#runner?.cancel()) this.#changed = true; // goes on when the element comes back
  }

  protected override beforeDraw(): void {
    if (!this.#changed) return;
    this.#changed = false;
    this.#late.forget();
    this.#runner.start(this.state.texts);
  }

  /** Attributes over the description's defaults, the address over both. */
  #read(): void {
    const defaults = defaultTexts(this.state.description);
    for (const name of Object.keys(defaults))
      defaults[name] = this.getAttribute(name) ?? defaults[name] ?? "";
    const { vocabulary } = this;
    const read = this.setup.store?.read(this.experiment, linked(this.state, defaults));
    this.#otherProblems = (read?.problems ?? []).map((problem) => problemOf(problem, vocabulary));
    const texts = { ...defaults, ...read?.texts };
    for (const name of Object.keys(this.state.files)) texts[name] = this.state.texts[name] ?? "";
    this.state = { ...this.state, vocabulary, defaults, texts };
  }

  protected set(change: Partial<FigureState>): void {
    this.state = { ...this.state, ...change };
    this.requestDraw();
  }

  /** From now on the verdict is shown. */
  protected played(): void {
    if (!this.state.played) this.set({ played: true });
  }

  #done(result: RunResult, texts: FigureState["texts"]): void {
    this.#late.forget();
    this.#shown = texts;
    const first = this.state.result === undefined;
    this.set({ result, problems: [], placeholder: undefined, pointed: undefined });
    clearTimeout(this.#spokenTimer);
    if (!first) this.#spokenTimer = setTimeout(() => this.#speak(result), resting);
  }

  /** For a moment: what stayed in the page would be read twice. */
  #speak(result: RunResult): void {
    this.set({ spoken: spokenOf(result, this.vocabulary) });
    this.#spokenTimer = setTimeout(() => this.set({ spoken: "" }), 1500);
  }

  /** An error in what is just being typed waits until the typing pauses. */
  #failed(error: unknown): void {
    if (codeOf(error) === "cancelled") return;
    this.#late.forget();
    const problem = problemOf(error, this.vocabulary);
    const known = this.state.problems.some(({ argument }) => argument === problem.argument);
    const typed =
      this.root.contains((this.getRootNode() as Document).activeElement) || this.shadowRoot?.activeElement;
    const open = typed && isUnfinished(problem.argument, this.state);
    if ((known || !typed) && !open) {
      this.set({ problems: [problem] });
      return;
    }
    if (open) this.set({ problems: [] });
    this.#late.set(problem, open ? unfinished : typing);
  }

  protected note(note: string): void {
    clearTimeout(this.#noteTimer);
    this.set({ note });
    this.#noteTimer = setTimeout(() => this.set({ note: "" }), 6000);
  }

  /** `control`: what the reader changed them with. */
  #change(texts: FigureState["texts"], control = ""): void {
    this.#otherProblems = [];
    this.#changed = true;
    this.set({ texts, note: "", played: true });
    const { defaults } = this.state;
    this.setup.store?.write(
      this.experiment,
      linked(this.state, texts),
      linked(this.state, defaults),
      control,
    );
  }

  // What figureView asks for; bound, because templates pass them on.

  readonly input = (param: string, text: string): void => {
    this.#change({ ...this.state.texts, [param]: text }, param);
  };

  readonly type = (param: string, text: string): void => {
    this.set({ texts: { ...this.state.texts, [param]: text }, note: "" });
    this.#words.set(param, wording);
  };

  readonly newSeed = (param: string): void => {
    this.input(param, String(crypto.getRandomValues(new Uint32Array(1))[0]));
  };

  readonly file = (param: string, file: File): void => {
    const { params } = this.state.description;
    const whole = params.find(({ name, type }) => name === param && type === "file");
    const { readFile, readMatrixFile } = this.setup.files;
    const text = whole ? readFile(file, param, whole.max_count) : readMatrixFile(file, param, this.here);
    text.then(
      (text) => {
        const { name, size } = file;
        if (whole) this.set({ files: { ...this.state.files, [param]: { name, size } } });
        this.input(param, text);
      },
      (error: unknown) => {
        this.#otherProblems = [problemOf(error, this.vocabulary)];
        this.requestDraw();
      },
    );
  };

  readonly removeFile = (param: string): void => {
    const files = Object.entries(this.state.files).filter(([name]) => name !== param);
    this.set({ files: Object.fromEntries(files) });
    this.input(param, "");
    this.root.querySelector<HTMLElement>(`#${this.state.id}-${param}`)?.focus();
  };

  readonly reset = (): void => this.#replace(this.state.defaults, "reset");

  readonly preset = (name: string): void =>
    this.#replace(name ? presetTexts(this.state.description, name) : this.state.defaults, "preset");

  #replace(texts: FigureState["texts"], control: string): void {
    this.set({ files: {} });
    this.#change(texts, control);
  }

  readonly point = (figure: number, cell: Cell | undefined): void => {
    const { pointed, result } = this.state;
    const before = pointed?.figure === figure ? pointed.cell : undefined;
    if (before?.row === cell?.row && before?.col === cell?.col) return;
    clearTimeout(this.#spokenTimer);
    const next = cell && { figure, cell };
    this.set({ pointed: next, spoken: next && result ? pointedText(result, next, this.vocabulary) : "" });
  };

  readonly quick = (texts: FigureState["texts"]): RunResult | undefined =>
    quietly(() => this.here.experiment(this.experiment).run({ ...this.state.texts, ...texts }));

  readonly cancel = (): void => {
    if (this.#runner.cancel()) this.note(ui(this.vocabulary, "cancelled"));
  };

  readonly showApparatus = (apparatusShown: boolean): void => {
    if (apparatusShown === this.state.apparatusShown) return;
    this.set({ apparatusShown });
    void this.setup.files.programs?.kinds(this.state.description).then((programs) => this.set({ programs }));
  };

  readonly showData = (dataShown: boolean): void => {
    if (dataShown !== this.state.dataShown) this.set({ dataShown });
  };

  readonly copy = (kind: CopyKind): void => {
    const text = copyText(kind, this.state, this, this.language, this.setup.store);
    if (text === undefined) {
      this.note(ui(this.vocabulary, "link_too_long"));
      return;
    }
    Promise.resolve(navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"))).then(
      () =>
        this.note(ui(this.vocabulary, kind !== "lines" && hasFile(this.state) ? "copied_no_file" : "copied")),
      () => this.note(`${ui(this.vocabulary, "copy_failed")} ${kind === "lines" ? "" : text}`),
    );
  };

  readonly export = (kind: ExportKind | CodeKind): void => {
    saved(kind, this.state, this.setup.files, this.root)?.catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      this.note(ui(this.vocabulary, "export_failed", { message }));
    });
  };
}
