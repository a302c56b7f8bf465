// The article's program, shortened; its d and its seed can be edited where they stand, and below is what it prints.
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { RunResult, Series } from "../../../bindings/api/types.ts";
import { formatWeight } from "../../charts/format.ts";
import { keep } from "../../elements/keep.ts";
import type { Scene, StoryFigure } from "../figure.ts";

export const figure: StoryFigure = {
  experiment: "article_snippet",
  start: { d: "32, 128, 512", seed: "0" },
  params: ({ d = "", seed = "" }) => ({ d: d.replaceAll(/\s/g, ""), seed: seed.trim(), rng: "torch" }),
  view,
};

/** The program around its two fields. It prints what `printed` gives. */
const program = [
  `import torch

def run(d, scaled):
    q = torch.randn(1, d)
    k = torch.randn(8, d)
    scores = q @ k.T
    if scaled:
`,
  `        scores = scores / d ** 0.5
`,
  `    w = torch.softmax(scores, dim=-1)
    low, high = w.aminmax()
    return f"max={high:.3f} min={low:.3f}"

torch.manual_seed(`,
  `)
for d in [`,
  `]:
    print(f"d={d} scaled   {run(d, True)}")
    print(f"d={d} unscaled {run(d, False)}")
`,
] as const;

export interface Line {
  d: string;
  role: "scaled" | "unscaled";
  text: string;
  weights: readonly number[];
}

/** What the program prints, line by line: numbers as the experiment's own lines have them. */
export function printed({ lines, figures }: RunResult): Line[] {
  return lines.flatMap((line, index) => {
    const [, d = "", scaled = "", unscaled = ""] = /^d=(\d+) scaled (.*) \| unscaled (.*)$/.exec(line) ?? [];
    const shown = figures[index];
    const weights = (name: string): number[] => {
      const series: readonly Series[] = shown && "series" in shown ? shown.series : [];
      return (series.find((each) => each.name === name)?.y ?? []).map((value) => value ?? 0);
    };
    return [
      { d, role: "scaled", text: `d=${d} scaled   ${scaled}`, weights: weights("scaled") },
      { d, role: "unscaled", text: `d=${d} unscaled ${unscaled}`, weights: weights("unscaled") },
    ];
  });
}

function view({ set, result, say, change }: Scene): TemplateResult {
  const field = (name: "d" | "seed"): TemplateResult =>
    html`<span class="print-only">${set[name]}</span
      ><input
        id="code-${name}"
        class="code-field code-${name}"
        type="text"
        name=${name}
        inputmode=${name === "seed" ? "numeric" : "text"}
        autocomplete="off"
        spellcheck="false"
        aria-label=${say(name)}
        value=${figure.start[name]!}
        ${keep({ value: set[name] ?? "" })}
        @input=${(event: Event) => change({ [name]: (event.target as HTMLInputElement).value })}
      />`;
  const [head, division, middle, loop, end] = program;
  const lines = printed(result);
  const [first, second] = lines.slice(-2).map(({ weights }) => formatWeight(Math.max(...weights)));
  const seed = String(BigInt.asUintN(64, BigInt(result.params["seed"] ?? "0") + 1n));
  return html`<figure class="story-figure">
    <pre
      class="story-code code-program"
    ><code>${head}<span class="code-division">${division}</span>${middle}${field("seed")}${loop}${field("d")}${end}</code></pre>
    <div class="story-controls">
      <button type="button" class="button" id="code-next" @click=${() => change({ seed })}>
        ${say("next")}
      </button>
    </div>
    <div class="code-printed" role="group" aria-label=${say("printed")}>
      ${lines.map(
        ({ role, text, weights }) =>
          html`<p class="role-${role}"><samp>${text}</samp> ${bars(weights, role === "unscaled")}</p>`,
      )}
    </div>
    <figcaption class="story-caption">
      ${say("caption", { d: lines.at(-1)?.d ?? "", scaled: first ?? "", unscaled: second ?? "" })}
    </figcaption>
  </figure>`;
}

const tall = 22;

/** The eight weights beside their line; hollow where nothing was divided. */
function bars(weights: readonly number[], hollow: boolean): TemplateResult {
  const rect = (weight: number, index: number): SVGTemplateResult =>
    svg`<rect class=${hollow ? "code-hollow" : "code-bar"} x=${index * 8 + 1} y=${(tall - 1 - weight * (tall - 2)).toFixed(1)}
      width="6" height=${(weight * (tall - 2)).toFixed(1)}></rect>`;
  return html`<svg
    class="code-bars"
    viewBox="0 0 ${weights.length * 8} ${tall}"
    height=${tall}
    aria-hidden="true"
  >
    <line class="story-hair" x1="0" x2=${weights.length * 8} y1=${tall - 0.5} y2=${tall - 0.5}></line>
    ${weights.map(rect)}
  </svg>`;
}
