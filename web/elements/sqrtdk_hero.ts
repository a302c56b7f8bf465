// <sqrtdk-hero>: one slider for d over article_snippet with paired draws; its attributes are d and seed.
import type { TemplateResult } from "lit/html.js";
import type { RunResult } from "../../bindings/api/types.ts";
import { SqrtdkElement } from "./base_element.ts";
import { textsOf, without, type GivenParams } from "./given_params.ts";
import {
  heroDefaults,
  heroParams,
  heroSlider,
  heroView,
  spreadExperiment,
  spreadParams,
  summary,
} from "./hero_view.ts";
import type { HeroActions, HeroState } from "./hero_view.ts";
import { mirror } from "./mirror.ts";
import { isAbort, problemOf } from "./problems.ts";
import type { RoomLook } from "./room.ts";
import { Runner } from "./runner.ts";
import { turn } from "./turn.ts";

/** Its name in the page's address. */
const name = "hero";
const resting = 900;

/**
 * The page's first figure: the weights of eight keys with and without the division, and a slider for d.
 *
 * @element sqrtdk-hero
 * @attr {string} d - The dimension with which it starts.
 * @attr {string} seed - The seed of the draw with which it starts.
 * @attr {string} lang - "en" or "zh"; else the language of the page around counts.
 * @csspart row - The weights with the division, or without.
 * @slot - Stands until the figure does, and in its place where it fails.
 * @fires change - The reader has changed the settings: `detail` has `params` and their `result`.
 * @fires result - What is shown, `result`, is another.
 */
export class SqrtdkHero extends SqrtdkElement implements HeroActions {
  static override properties = ["params", "d", "seed"];
  static {
    mirror(this, ["d", "seed"]);
  }
  /** The dimension with which it starts. */
  declare d: string;
  /** The seed of the draw with which it starts. */
  declare seed: string;
  #given: Record<string, string> = {}; // over the attributes
  #tells = false; // what the reader has changed
  #state!: HeroState;
  #runner!: Runner;
  #changed = false;
  #noteTimer: ReturnType<typeof setTimeout> | undefined;

  get experiment(): string {
    return "article_snippet";
  }

  /** The present settings, d and seed; the defaults for what is not given. */
  get params(): Readonly<Record<string, string>> {
    return { ...(this.#state?.texts ?? this.#given) };
  }

  set params(given: GivenParams | undefined) {
    this.#given = textsOf(given);
    if (this.#state) this.follow();
  }

  protected override roomLook(): RoomLook {
    return { name: "hero", heading: false, controls: "none", charts: [], text: () => null };
  }

  protected override async begin(): Promise<void> {
    const { vocabulary } = this;
    this.#runner = new Runner(this.setup.kernels, this.here, this.experiment, {
      done: (result) => this.#done(result),
      failed: (error) => {
        if (!isAbort(error)) this.#set({ problem: problemOf(error, this.vocabulary).message });
      },
      progress: () => undefined,
    });
    this.#state = { vocabulary, texts: heroDefaults, problem: "", note: "" };
    this.#read();
    this.#takeSlider();
    // On a slow phone each takes as long as a task may: kernels are compiled when they are first called.
    this.#state = { ...this.#state, spread: this.#spreadAt(this.#state.texts["d"] ?? "") };
    await turn();
    this.#start();
    await turn();
    if (this.#takeSlider()) this.#start();
    const focus = this.prerendered ? this.setup.takeOver?.focusOf(this) : undefined;
    this.draw();
    focus?.(this.root);
  }

  /** Whether the printed slider was moved, before this element came alive. */
  #takeSlider(): boolean {
    const slider = this.root.querySelector<HTMLInputElement>("#hero-slider");
    if (!slider || slider.value === slider.defaultValue) return false;
    const d = heroSlider.textAt(Number(slider.value));
    if (d === this.#state.texts["d"]) return false;
    this.#state = { ...this.#state, texts: { ...this.#state.texts, d } };
    return true;
  }

  protected override view(): TemplateResult {
    this.result = this.#state.result;
    return heroView(this.#state, this);
  }

  protected override draw(): void {
    super.draw();
    const { params, result } = this;
    if (this.#tells) this.tellChange({ params, result });
    this.#tells = false;
  }

  protected override follow(attributes: readonly string[] = []): void {
    this.#given = without(this.#given, attributes);
    this.#read();
    this.#changed = true;
    this.requestDraw();
  }

  protected override stop(): void {
    clearTimeout(this.#noteTimer);
    this.#runner?.cancel();
  }

  protected override beforeDraw(): void {
    if (this.#changed) this.#start();
  }

  #start(): void {
    this.#changed = false;
    this.#runner.start({ ...heroParams, ...this.#state.texts });
  }

  get #defaults(): Record<string, string> {
    const attributes = Object.entries(heroDefaults).map(([key, text]) => [
      key,
      this.getAttribute(key) ?? text,
    ]);
    return Object.fromEntries(attributes) as Record<string, string>;
  }

  #read(): void {
    const read = this.setup.store?.read(name, this.#defaults);
    const problem = read?.problems[0];
    this.#state = {
      ...this.#state,
      vocabulary: this.vocabulary,
      texts: read?.texts ?? { ...this.#defaults, ...this.#given },
      problem: problem ? problemOf(problem, this.vocabulary).message : "",
    };
  }

  #set(change: Partial<HeroState>): void {
    this.#state = { ...this.#state, ...change };
    this.requestDraw();
  }

  #done(result: RunResult): void {
    const first = this.#state.result === undefined;
    this.#set({ result, spread: this.#spreadAt(this.#state.texts["d"] ?? "") });
    clearTimeout(this.#noteTimer);
    if (first) return;
    this.#noteTimer = setTimeout(() => {
      this.#set({ note: summary(this.#state) });
      this.#noteTimer = setTimeout(() => this.#set({ note: "" }), 1500);
    }, resting);
  }

  /** A new draw has the same behind it. */
  #spreadAt(d: string): RunResult {
    const { spread } = this.#state;
    if (spread?.params["d"] === d) return spread;
    return this.here.experiments.get(spreadExperiment).run(spreadParams(d));
  }

  readonly input = (param: string, text: string): void => {
    this.#changed = true;
    this.#tells = true;
    this.#given = { ...this.#state.texts, [param]: text };
    this.#set({ texts: this.#given, problem: "" });
    this.setup.store?.write(name, this.#state.texts, this.#defaults);
  };

  readonly newSeed = (): void => {
    this.input("seed", String(crypto.getRandomValues(new Uint16Array(1))[0]));
  };
}
