// <sqrtdk-figure experiment="article_snippet" d="32,128" seed="7" lang="zh">: any experiment, drawn from its
// description and its result. Every parameter is an attribute, and all of them are the property `params`.
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
import { textsOf, without, type GivenParams } from "./given_params.ts";
import { lookErrors, lookFlags, lookOf, lookTexts, refusal, withCharts } from "./look.ts";
import { mirror } from "./mirror.ts";
import { pointedText, spokenOf } from "./parts.ts";
import { isAbort, problemOf, quietly } from "./problems.ts";
import type { RoomLook } from "./room.ts";
import type { Experiments } from "./setup.ts";
import { Runner, type RunListener } from "./runner.ts";
import type { CodeKind } from "./code_export.ts";
import { copied, copyText, linked, saved } from "./take_away.ts";
import { Late } from "./late.ts";
import { turn } from "./turn.ts";
import type { Remembered } from "./take_over.ts";
import { ui } from "../words/vocabulary.ts";

export type FigureRunner = Pick<Runner, "start" | "cancel" | "busy" | "computes">;

/** Milliseconds after the last key before an error is shown, and before a result is spoken. */
const typing = 400; // below 500 the move of what is below counts as the reader's own
const unfinished = 2500; // where a list ends with a comma, and more is to come
const resting = 900;
const wording = 300; // before words are taken as written
/** Milliseconds out of sight until a run is ended, and with it its worker: what is scrolled past is mostly done before. */
const lingering = 2000;

/**
 * An experiment of the laboratory, computed on the reader's device.
 *
 * @element sqrtdk-figure
 * @attr {string} experiment - Which experiment: the last part of its page's address.
 * @attr {string} heading - "none": without the question above it.
 * @attr {string} controls - "all" (the default), "few" or "none". Few: the choice of presets, or else the first two settings.
 * @attr {string} charts - The names of the charts that are drawn, separated by spaces; all of them where it is absent.
 * @attr {boolean} lines - The printed lines stand below the charts.
 * @attr {boolean} caption - What each chart shows stands below it in words.
 * @attr {string} lang - "en" or "zh"; else the language of the page around counts.
 * @attr {string} [parameter] - Every parameter of the experiment, as on the command line: where the figure starts.
 * @csspart title - The question.
 * @csspart controls - All settings.
 * @csspart control - A setting with its label.
 * @csspart input - The field or choice of a setting.
 * @csspart verdict - Whether the claim holds.
 * @csspart charts - A grid of charts.
 * @csspart chart - A chart.
 * @csspart caption - What a chart shows, in words.
 * @csspart note - What explains the charts.
 * @csspart lines - The printed lines.
 * @csspart apparatus - What is folded: data and export.
 * @csspart table - Tables of numbers.
 * @slot - Stands until the figure does, and in its place where it fails.
 * @slot heading - In place of the question.
 * @slot caption - Below the figure.
 * @fires change - The reader has changed the settings: `detail` has `params` and, once it is computed, their `result`.
 * @fires result - What is shown, `result`, or whether it belongs to other settings, `stale`, is another.
 */
export class SqrtdkFigure extends SqrtdkElement implements FigureActions {
  static override properties = ["params", "experiment", ...lookTexts, ...lookFlags];
  static {
    mirror(this, lookTexts, lookFlags);
  }

  /** "none": without the question above it. */
  declare heading: string;
  /** "all", "few" or "none" of the settings. */
  declare controls: string;
  /** The names of the charts that are drawn, separated by spaces. */
  declare charts: string;
  /** Whether the printed lines stand below the charts. */
  declare lines: boolean;
  /** Whether what each chart shows stands below it in words. */
  declare caption: boolean;

  /** The name under which its markup is copied. */
  readonly tag: string = "sqrtdk-figure";
  protected state!: FigureState;
  #given: Record<string, string> = {}; // over the attributes: by the page's script or the reader, where no address has it
  #errors: readonly unknown[] = []; // in what the page gives
  #isAway = false; // out of sight
  #tells: "now" | "later" | undefined; // what the reader has changed
  #runner!: FigureRunner;
  #changed = false; // texts that no run has seen
  #ahead: { readonly view: TemplateResult; readonly state: FigureState } | undefined; // of the first result
  #shown: FigureState["texts"] | undefined; // the settings of what is shown
  /** Problems of the address or of a file: no run decides on them, they stay until the reader changes something. */
  #otherProblems: FigureState["problems"] = [];
  readonly #words = new Late<string>((param) => this.#change(this.state.texts, param)); // taken as written
  readonly #late = new Late<FigureState["problems"][number]>((problem) => this.set({ problems: [problem] }));
  #awayTimer: ReturnType<typeof setTimeout> | undefined;
  #spokenTimer: ReturnType<typeof setTimeout> | undefined;
  #noteTimer: ReturnType<typeof setTimeout> | undefined;

  /** The id of the experiment. */
  get experiment(): string {
    return this.getAttribute("experiment") ?? "";
  }

  set experiment(id: string) {
    this.setAttribute("experiment", id);
  }

  /** The present settings, as texts; those that are given, and the defaults for all others. */
  get params(): Readonly<Record<string, string>> {
    return this.state ? linked(this.state, this.state.texts) : { ...this.#given };
  }

  set params(given: GivenParams | undefined) {
    this.#given = textsOf(given);
    if (this.state) this.follow();
  }

  protected override roomLook(): RoomLook {
    const text = (param: string): string | null => this.#given[param] ?? this.getAttribute(param);
    return { ...lookOf(this), name: this.experiment, text };
  }

  protected override prepare(here: Experiments): void {
    const experiment = here.experiments.get(this.experiment);
    experiment.work(defaultTexts(experiment.describe()));
  }

  protected override async begin(): Promise<void> {
    const description = this.here.experiments.get(this.experiment).describe();
    this.#runner = this.makeRunner({
      done: (result, texts) => this.#done(result, texts),
      failed: (error) => this.#failed(error),
      progress: (running) => this.set({ running }),
    });
    const printed = defaultTexts(description);
    let remembered: Remembered | undefined;
    if (this.prerendered) {
      remembered = this.setup.takeOver?.remember(this, description, printed);
      this.#shown = printed;
    }
    this.state = {
      ...stillState(description, undefined, this.vocabulary),
      framed: !this.prerendered,
      linkable: this.setup.store !== undefined,
      ...remembered?.page,
    };
    this.#read();
    this.state = { ...this.state, played: !sameTexts(this.state.texts, this.state.defaults) }; // by who made the address
    this.root.addEventListener("focusout", this.#left);
    if (Object.keys(remembered?.texts ?? {}).length > 0) {
      this.#change({ ...this.state.texts, ...remembered?.texts });
      this.#changed = false; // the run comes at once
    }
    if (this.#isAway) this.#changed = true;
    else this.#runner.start(this.state.texts, { wait: false });
    if (remembered) await this.#replacePrinted(remembered, printed);
    else this.draw();
  }

  /** What was printed gives way in a task of its own, with what the reader has typed into it until then. */
  async #replacePrinted(before: Remembered, printed: FigureState["texts"]): Promise<void> {
    this.holdDrawing();
    await turn();
    const now = this.setup.takeOver?.remember(this, this.state.description, printed) ?? before;
    if (!sameTexts(now.texts, before.texts) || !sameTexts(before.texts, now.texts)) {
      const texts = { ...this.state.texts, ...now.texts };
      for (const name of Object.keys(before.texts)) texts[name] = now.texts[name] ?? printed[name] ?? "";
      this.#change(texts);
    }
    this.draw();
    now.restore(this.root);
    if (this.#changed) this.requestDraw();
  }

  /** What computes results. */
  protected makeRunner(listener: RunListener): FigureRunner {
    return new Runner(this.setup.kernels, this.here, this.experiment, listener);
  }

  protected override view(): TemplateResult {
    const { state, vocabulary } = this;
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead?.state === state) return ahead.view;
    const wrong = this.#errors.map((error) => problemOf(error, vocabulary));
    const problems = [...wrong, ...this.#otherProblems, ...state.problems];
    const shown = this.shownTexts();
    this.stale = shown !== undefined && !sameTexts(shown, state.texts);
    this.result = state.result;
    const result = this.#chosen();
    return this.template({ ...state, result, problems, stale: this.stale, busy: this.#runner.busy });
  }

  /** With the charts that are drawn. */
  #chosen(): RunResult | undefined {
    return withCharts(this.state.result, this.state.look.charts);
  }

  protected override draw(): void {
    super.draw();
    if (this.#tells === undefined) return;
    const { stale, result } = this;
    if (this.#tells === "now" || !stale) {
      const { params } = this;
      this.#tells = stale && this.#runner.busy ? "later" : undefined;
      this.tellChange(stale ? { params } : { params, result });
    }
  }

  /** The settings of the result that is shown, or of the printed one; undefined where there is none. */
  protected shownTexts(): FigureState["texts"] | undefined {
    return this.#shown;
  }

  protected template(state: FigureState): TemplateResult {
    return figureView(state, this);
  }

  protected override follow(attributes: readonly string[] = []): void {
    const before = this.state.texts;
    this.#read(attributes);
    if (!sameTexts(this.state.texts, before)) {
      this.#changed = true;
      this.played();
    }
    this.requestDraw();
  }

  protected override stop(): void {
    if (this.#words.waits) this.#changed = true;
    for (const late of [this.#late, this.#words]) late.forget();
    for (const timer of [this.#awayTimer, this.#spokenTimer, this.#noteTimer]) clearTimeout(timer);
    if (this.#runner?.cancel()) this.#changed = true; // goes on when the element comes back
  }

  /** What no reader has asked for is not computed where none sees it. */
  protected override sighted(seen: boolean): void {
    this.#isAway = !seen && !this.state?.played;
    clearTimeout(this.#awayTimer);
    if (this.#isAway && this.#runner?.computes) this.#awayTimer = setTimeout(this.#leave, lingering);
    else if (this.#isAway) this.#leave();
    if (seen && this.#changed) this.requestDraw();
  }

  protected override beforeDraw(): void {
    if (!this.#changed || this.#isAway) return;
    this.#changed = false;
    this.#late.forget();
    this.#runner.start(this.state.texts);
  }

  /**
   * Attributes over the description's defaults, the address or what else is given over both. What the reader has set stays,
   * but for those of the attributes that are now others.
   */
  #read(attributes: readonly string[] = []): void {
    const { description } = this.state;
    const defaults = defaultTexts(description);
    const names = Object.keys(defaults);
    for (const name of names) defaults[name] = this.getAttribute(name) ?? defaults[name] ?? "";
    this.#given = without(this.#given, attributes);
    const { vocabulary, setup } = this;
    const read = setup.store?.read(this.experiment, linked(this.state, defaults));
    this.#otherProblems = (read?.problems ?? []).map((problem) => problemOf(problem, vocabulary));
    const given = setup.store ? read?.texts : this.#given;
    const texts = { ...defaults, ...given };
    for (const name of Object.keys(this.state.files)) texts[name] = this.state.texts[name] ?? "";
    this.state = { ...this.state, vocabulary, defaults, texts };
    if (this.prerendered) return;
    const unknown = Object.keys(this.#given).filter((name) => !names.includes(name));
    this.#errors = [
      ...lookErrors(this, description),
      ...unknown.map((name) => refusal("unknown_name", "params", names, name)),
    ];
    this.state = { ...this.state, look: lookOf(this) };
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
    if (first) this.#ahead = { view: this.view(), state: this.state };
    if (this.#ahead) void this.drawFirst(this.#ahead.view);
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
    if (isAbort(error)) return;
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
    this.#tells = "now";
    this.set({ texts, note: "", played: true });
    const { defaults } = this.state;
    this.#given = { ...texts };
    this.setup.store?.write(
      this.experiment,
      linked(this.state, texts),
      linked(this.state, defaults),
      control,
    );
  }

  readonly #leave = (): void => {
    if (this.#runner?.cancel()) this.#changed = true;
  };

  readonly #left = (): void => this.#late.now();

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
        this.set({});
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
    const { pointed } = this.state;
    const result = this.#chosen();
    const before = pointed?.figure === figure ? pointed.cell : undefined;
    if (before?.row === cell?.row && before?.col === cell?.col) return;
    clearTimeout(this.#spokenTimer);
    const next = cell && { figure, cell };
    this.set({ pointed: next, spoken: next && result ? pointedText(result, next, this.vocabulary) : "" });
  };

  readonly quick = (texts: FigureState["texts"]): RunResult | undefined =>
    quietly(() => this.here.experiments.get(this.experiment).run({ ...this.state.texts, ...texts }));

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
    void copied(kind, text, this.state).then((note) => this.note(note));
  };

  readonly export = (kind: ExportKind | CodeKind): void => {
    saved(kind, this.state, this.setup.files, this.root)?.catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      this.note(ui(this.vocabulary, "export_failed", { message }));
    });
  };
}
