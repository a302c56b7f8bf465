// A sentence in two columns, its attention weights as threads between them; one weight and the two rows that made it.
import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { Grid, RunResult } from "../../../bindings/api/types.ts";
import { formatDecimals, formatWeight } from "../../charts/format.ts";
import { shortened } from "../../charts/layout.ts";
import { keep } from "../../elements/keep.ts";
import { apart, type Scene, type Settings, type StoryFigure } from "../figure.ts";

const row = 40; // pixels, as in the style sheet
const middle = 100; // width of the threads, in units of the drawing

export const figure: StoryFigure = {
  experiment: "attention_steps",
  start: { text: "", asks: "", asked: "" }, // the words that the chapter speaks of
  params: ({ text = "" }, say) => ({ text: text.trim() || say("sentence") }),
  view,
};

/** A matrix of the result; empty where there is none. */
function matrix(result: RunResult, name: string): Grid {
  const found = result.figures.find((each) => each.name === name);
  return found?.grid ?? { n_rows: 0, n_cols: 0, values: [] };
}

export function rowOf({ n_cols, values }: Grid, index: number): number[] {
  return values.slice(index * n_cols, (index + 1) * n_cols).map((value) => value ?? 0);
}

/** What one weight comes from. */
export interface Trace {
  q: number[];
  k: number[];
  products: number[];
  score: number;
  scaled: number;
  weight: number;
}

export function trace(result: RunResult, asks: number, asked: number): Trace {
  const [q, k] = [rowOf(matrix(result, "q"), asks), rowOf(matrix(result, "k"), asked)];
  const at = (name: string): number => rowOf(matrix(result, name), asks)[asked] ?? Number.NaN;
  return {
    ...{ q, k, products: q.map((each, i) => each * (k[i] ?? 0)) },
    ...{ score: at("scores"), scaled: at("scaled_scores"), weight: at("weights") },
  };
}

function view(scene: Scene): TemplateResult {
  const { set, result, say, change } = scene;
  const weights = matrix(result, "weights");
  const words = weights.rows ?? [];
  const at = (name: "asks" | "asked", from: Settings): number =>
    Math.min(Number(from[name] || say(`${name}_at`)) || 0, words.length - 1);
  const [asks, asked] = [at("asks", set), at("asked", set)];
  const mine = rowOf(weights, asks);
  const most = mine.indexOf(Math.max(...mine));
  const column = (name: "asks" | "asked", notes: readonly string[]): TemplateResult =>
    html`<fieldset class="threads-words">
      <legend>${say(name)}</legend>
      ${words.map(
        (word, index) =>
          html`<label
            ><input
              type="radio"
              name=${name}
              value=${index}
              ?checked=${index === at(name, figure.start)}
              ${keep({ checked: index === at(name, set) })}
              @change=${() => change({ [name]: String(index) })}
            /><span class="threads-word">${word}</span>${
              notes[index] ? html`<span class="threads-weight">${notes[index]}</span>` : nothing
            }</label
          >`,
      )}
    </fieldset>`;
  const [word = "", other = ""] = [words[asks], words[most]];
  return html`<figure class="story-figure">
    <div class="story-controls">
      <label for="threads-text">${say("own")}</label>
      <input
        id="threads-text"
        class="threads-text"
        type="text"
        name="text"
        maxlength="80"
        autocomplete="off"
        placeholder=${say("sentence")}
        value=${figure.start["text"]!}
        ${keep({ value: set["text"] ?? "" })}
        @input=${(event: Event) => change({ text: (event.target as HTMLInputElement).value })}
      />
    </div>
    <div class="threads">
      ${column("asks", [])}
      <svg
        class="threads-drawing"
        viewBox="0 0 ${middle} ${row * words.length}"
        height=${row * words.length}
        preserveAspectRatio="none"
        role="img"
        aria-labelledby="threads-caption"
      >
        ${threads(weights, asks, asked)}
      </svg>
      ${column("asked", mine.map(formatWeight))}
    </div>
    <p class="story-caption" id="threads-caption">
      ${apart(say("caption", { word, other, weight: formatWeight(mine[most]) }))}<span class="screen-only"
        >${say("hands")}</span
      >
    </p>
    ${tracing(trace(result, asks, asked), word, words[asked] ?? "", say)}
  </figure>`;
}

/** As thick as the weight; those of the chosen word over all others, the chosen one over these. */
function threads(weights: Grid, asks: number, asked: number): SVGTemplateResult[] {
  const thread = (from: number, to: number, look: string): SVGTemplateResult => {
    const [y0, y1] = [from, to].map((index) => (index + 0.5) * row);
    const weight = rowOf(weights, from)[to] ?? 0;
    return svg`<path class="threads-thread ${look}" vector-effect="non-scaling-stroke"
      stroke-width=${(weight * 22).toFixed(2)} d="M0 ${y0}C${middle / 2} ${y0} ${middle / 2} ${y1} ${middle} ${y1}"></path>`;
  };
  const all = Array.from({ length: weights.n_rows }, (_, index) => index);
  return [
    ...all
      .filter((from) => from !== asks)
      .flatMap((from) => all.map((to) => thread(from, to, "threads-faint"))),
    ...all.filter((to) => to !== asked).map((to) => thread(asks, to, "threads-row")),
    thread(asks, asked, "threads-one"),
  ];
}

const strip = 84; // one strip with its name
const half = 26; // of a strip's height

/** q, k and their products as three strips of bars; the numbers in one sentence below. */
function tracing(traced: Trace, word: string, other: string, say: Scene["say"]): TemplateResult {
  const { q, k, products, score, scaled, weight } = traced;
  const strips = [q, k, products];
  const reach = Math.max(1e-9, ...strips.flat().map(Math.abs));
  const signs = ["·", "→"];
  const short = (name: string): string => shortened(name, 60);
  const names = [say("q", { word: short(word) }), say("k", { word: short(other) }), say("products")];
  const numbers = { score: formatDecimals(score, 3), scaled: formatDecimals(scaled, 3) };
  const said = { word, other, ...numbers, weight: formatWeight(weight), d: String(q.length) };
  return html`<svg
      class="story-drawing threads-trace"
      viewBox="0 0 360 ${strip}"
      role="img"
      aria-labelledby="threads-trace"
    >
      ${strips.map((values, index) => {
        const left = 6 + index * 124;
        const bar = 100 / Math.max(1, values.length);
        return svg`<text x=${left} y="10">${names[index]}</text>
          <line class="story-hair" x1=${left} x2=${left + 100} y1=${18 + half} y2=${18 + half}></line>
          ${values.map((value, i) => {
            const tall = (Math.abs(value) / reach) * half;
            return svg`<rect class="threads-bar ${value < 0 ? "threads-minus" : ""}" x=${(left + (i + 0.15) * bar).toFixed(1)}
              y=${(18 + half - (value > 0 ? tall : 0)).toFixed(1)} width=${(bar * 0.7).toFixed(1)} height=${tall.toFixed(1)}></rect>`;
          })}
          ${index < 2 ? svg`<text x=${left + 112} y=${22 + half} text-anchor="middle">${signs[index]}</text>` : nothing}`;
      })}
    </svg>
    <figcaption class="story-caption" id="threads-trace">${say("trace", said)}</figcaption>`;
}
