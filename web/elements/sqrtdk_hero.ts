// <sqrtdk-hero>: one slider for d over article_snippet with paired draws; its attributes are d and seed.
import type { TemplateResult } from "lit/html.js";
import type { RunResult } from "../../bindings/api/types.ts";
import { SqrtdkElement } from "./base_element.ts";
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
import { codeOf, problemOf } from "./problems.ts";
import { Runner } from "./runner.ts";
import { focusOf } from "./take_over.ts";

/** Its name in the page's address. */
const name = "hero";
const resting = 900;

export class SqrtdkHero extends SqrtdkElement implements HeroActions {
  #state!: HeroState;
  #runner!: Runner;
  #changed = false;
  #noteTimer: ReturnType<typeof setTimeout> | undefined;

  get experiment(): string {
    return "article_snippet";
  }

  protected override begin(): void {
    const { vocabulary } = this;
    this.#runner = new Runner(this.setup.kernels, this.here, this.experiment, {
      done: (result) => this.#done(result),
      failed: (error) => {
        if (codeOf(error) !== "cancelled") this.#set({ problem: problemOf(error, this.vocabulary).message });
      },
      progress: () => undefined,
    });
    this.#state = { vocabulary, texts: heroDefaults, problem: "", note: "" };
    this.#read();
    const slider = this.root.querySelector<HTMLInputElement>("#hero-slider");
    if (slider && slider.value !== slider.defaultValue) {
      const d = heroSlider.textAt(Number(slider.value)); // moved before this element came alive
      this.#state = { ...this.#state, texts: { ...this.#state.texts, d } };
    }
    const focus = this.prerendered ? focusOf(this) : undefined;
    this.#start();
    this.draw();
    focus?.(this.root);
  }

  protected override view(): TemplateResult {
    this.result = this.#state.result;
    return heroView(this.#state, this);
  }

  protected override follow(): void {
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
    return Object.fromEntries(
      Object.entries(heroDefaults).map(([key, text]) => [key, this.getAttribute(key) ?? text]),
    );
  }

  #read(): void {
    const read = this.setup.store?.read(name, this.#defaults);
    const problem = read?.problems[0];
    this.#state = {
      ...this.#state,
      vocabulary: this.vocabulary,
      texts: read?.texts ?? this.#defaults,
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
    return this.here.experiment(spreadExperiment).run(spreadParams(d));
  }

  readonly input = (param: string, text: string): void => {
    this.#changed = true;
    this.#set({ texts: { ...this.#state.texts, [param]: text }, problem: "" });
    this.setup.store?.write(name, this.#state.texts, this.#defaults);
  };

  readonly newSeed = (): void => {
    this.input("seed", String(crypto.getRandomValues(new Uint16Array(1))[0]));
  };
}
