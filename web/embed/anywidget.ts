// sqrtdk.anywidget.js: every experiment, the race and the hero as one module for notebooks (anywidget's front-end modules):
//   export default { render({ model, el }) { …; return cleanUp } }
// Traits: `experiment`, `params` (texts by name), `lang`, `controls`, `charts`; what the reader sets goes back into `params`,
// what was computed into `result`. It fetches nothing: notebooks import it from a blob.
import type { RunResult } from "../../bindings/api/types.ts";
import { defaults } from "sqrtdk:modules";
import type { Model, Widget } from "./anywidget_types.d.ts";
import { setUpAuto } from "./auto_setup.ts";
import * as experiments from "./experiments.ts";

type Texts = Record<string, string>;
type Figure = HTMLElement & { readonly result?: RunResult | undefined };

/** Attributes that are traits of the same name. */
const looks = ["lang", "controls", "charts"] as const;
/** Milliseconds between two results that are sent to the kernel: a slider makes sixty in a second. */
const pause = 150;

class View {
  readonly #model: Model;
  readonly #el: HTMLElement;
  #figure: Figure | undefined;
  #experiment = "";
  #texts: Texts = {}; // as last set by the notebook or the reader
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #watched: readonly (readonly [string, () => void])[];

  constructor(model: Model, el: HTMLElement) {
    this.#model = model;
    this.#el = el;
    this.#watched = [
      ["change:experiment", () => this.#show()],
      ["change:params", () => this.#takeParams()],
      ...looks.map((name) => [`change:${name}`, () => this.#takeLook(name)] as const),
    ];
    for (const [event, callback] of this.#watched) model.on(event, callback);
    this.#show();
  }

  end(): void {
    for (const [event, callback] of this.#watched) this.#model.off?.(event, callback);
    clearTimeout(this.#timer);
    this.#figure?.remove();
    this.#figure = undefined;
  }

  #trait(name: string): string {
    const value = this.#model.get(name);
    return typeof value === "string" ? value : "";
  }

  #show(): void {
    const experiment = this.#trait("experiment") || "score_variance";
    if (experiment === this.#experiment) return;
    this.#experiment = experiment;
    this.#texts = {};
    const tag = tagOf(experiment);
    const figure: Figure = document.createElement(tag);
    if (tag === "sqrtdk-figure") figure.setAttribute("experiment", experiment);
    figure.addEventListener("change", (event) => this.#giveParams(event));
    figure.addEventListener("result", () => this.#later());
    this.#figure?.remove();
    this.#figure = figure;
    this.#takeParams();
    for (const name of looks) this.#takeLook(name);
    this.#el.append(figure);
  }

  #takeLook(name: (typeof looks)[number]): void {
    const text = this.#trait(name);
    if (text) this.#figure?.setAttribute(name, text);
    else this.#figure?.removeAttribute(name);
  }

  /** The notebook set them, or the other view of this model. */
  #takeParams(): void {
    const texts = textsOf(this.#model.get("params"));
    for (const name of Object.keys(this.#texts))
      if (!Object.hasOwn(texts, name)) this.#figure?.removeAttribute(name);
    for (const [name, text] of Object.entries(texts))
      if (this.#figure?.getAttribute(name) !== text) this.#figure?.setAttribute(name, text);
    this.#texts = texts;
  }

  /** The reader set them. */
  #giveParams(event: Event): void {
    const { params } = (event as CustomEvent<{ params?: Texts } | null>).detail ?? {};
    if (event.target !== this.#figure || !params) return;
    const usual = defaults[this.#experiment] ?? {};
    const set = Object.entries(params).filter(
      ([name, text]) => Object.hasOwn(this.#texts, name) || text !== usual[name],
    );
    this.#texts = Object.fromEntries(set);
    this.#give("params", this.#texts);
  }

  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const result = this.#figure?.result;
      const told = this.#model.get("result") as RunResult | null | undefined;
      if (result && (told?.hash !== result.hash || told.experiment !== result.experiment))
        this.#give("result", result);
    }, pause);
  }

  #give(name: string, value: unknown): void {
    this.#model.set(name, value);
    this.#model.save_changes?.();
  }
}

function tagOf(experiment: string): string {
  if (experiment === "hero") return "sqrtdk-hero";
  return experiment === "training_race" ? "sqrtdk-race" : "sqrtdk-figure";
}

let isSetUp = false;

/** Not when the module is imported: a server may do that. */
function setUp(): void {
  if (isSetUp) return;
  isSetUp = true;
  setUpAuto(() => Promise.resolve(experiments));
  // Whoever comes first defines all: notebooks import the module once for each widget. And where they have shadow roots of
  // their own, the page does not see that it holds a race.
  if (!customElements.get("sqrtdk-race")) customElements.define("sqrtdk-race", experiments.SqrtdkRace);
}

/** A parameter's text form, as in attributes; what is no parameter of an experiment is left to the element to refuse. */
function textsOf(params: unknown): Texts {
  if (typeof params !== "object" || params === null) return {};
  return Object.fromEntries(
    Object.entries(params)
      .filter(([name]) => /^[a-z]\w*$/.test(name) && !name.startsWith("on"))
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : String(value)]),
  );
}

const widget: Widget = {
  render({ model, el }) {
    setUp();
    const view = new View(model, el);
    return () => view.end();
  },
};

export default widget;
