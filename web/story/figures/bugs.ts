// A quiz: a line of code with what one could print beside it; is it a mistake? Then its weights beside the right ones.
import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { RunResult, Series } from "../../../bindings/api/types.ts";
import { formatDecimals, formatTick } from "../../charts/format.ts";
import { linear } from "../../charts/scale.ts";
import { keep } from "../../elements/keep.ts";
import type { Scene, StoryFigure } from "../figure.ts";

const bugs = ["absent", "d_model", "after_softmax", "on_v", "twice", "q_first"] as const;
/** What a reader may answer; only one of the lines is right. */
const answers = ["mistake", "fine"] as const;
const [width, height] = [360, 116];
const left = 26;
/** Weights up to here have room: the largest of any line is 0.51. */
const most = 0.55;

export const figure: StoryFigure = {
  experiment: "bug_museum",
  start: { bug: "absent", answer: "" },
  params: ({ bug = "" }) => ({ bug, steps: "0", trials: "200" }),
  view,
  paper: { sets: bugs.map((bug) => ({ bug, answer: "" })), view: paperView },
};

const scalar = (result: RunResult, name: string, code: string): number | undefined =>
  result.scalars.find((each) => each.name === name && each.at["code"] === code)?.value ?? undefined;

/** Of the printed lines: "# right", its code, "# …", the other code. */
const codeOf = ({ lines }: RunResult): string => (lines[3] ?? "").replaceAll("; ", "\n");

function printsOf(result: RunResult, bug: string): Record<string, string> {
  const number = (name: string): string => formatDecimals(scalar(result, name, bug), 2);
  return { sd: number("score_sd"), sum: number("row_sum"), rms: number("output_rms") };
}

function view({ set, result, say, change }: Scene): TemplateResult {
  const [bug = "", answer = ""] = [set["bug"], set["answer"]];
  const shown = result.params["bug"] ?? bug;
  const verdict = say((answer === "fine") === (shown === "q_first") ? "right" : "wrong");
  return html`<figure class="story-figure">
    <div class="story-controls story-tabs" role="group" aria-label=${say("lines")}>
      ${bugs.map(
        (each, index) =>
          html`<label
            ><input
              type="radio"
              name="bug"
              value=${each}
              ?checked=${each === figure.start["bug"]}
              ${keep({ checked: each === bug })}
              @change=${() => change({ bug: each, answer: "" })}
            />
            ${index + 1}</label
          >`,
      )}
    </div>
    <pre class="story-code"><code>${codeOf(result)}</code></pre>
    <p class="story-printed">${say("prints", printsOf(result, shown))}</p>
    <div class="story-controls" role="group" aria-label=${say("ask")}>
      ${answers.map(
        (each) =>
          html`<button
            type="button"
            class="button"
            id="bugs-${each}"
            aria-pressed=${String(answer === each)}
            @click=${() => change({ answer: each })}
          >
            ${say(each)}
          </button>`,
      )}
    </div>
    <div role="status">
      ${
        answer === ""
          ? nothing
          : html`<p class="story-told">
              <b>${verdict}</b>${verdict.endsWith("。") ? "" : " "}${say(`told_${shown}`)}
            </p>`
      }
    </div>
    <svg class="story-drawing" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="bugs-caption">
      ${bars(result)}
    </svg>
    <figcaption class="story-caption" id="bugs-caption">${say("caption")}</figcaption>
  </figure>`;
}

/** All lines with what is to be said of them; their bars have no room above the largest. */
function paperView(scenes: readonly Scene[]): TemplateResult {
  const largest = Math.max(
    ...scenes.flatMap(({ result }) => weightsOf(result).flatMap(({ y }) => y.map(Number))),
  );
  const top = Math.max(0, yOf(Math.max(0.25, largest)) - 10);
  return html`<figure class="story-figure">
    <ol class="bugs-lines">
      ${scenes.map(
        ({ set: { bug = "" }, result, say }) =>
          html`<li>
            <div>
              <pre class="story-code"><code>${codeOf(result)}</code></pre>
              <p class="story-printed">${say("prints", printsOf(result, bug))}</p>
              <p class="story-told">${say(`told_${bug}`)}</p>
            </div>
            <svg
              class="story-drawing"
              viewBox="0 ${top.toFixed()} ${width} ${(height - top).toFixed()}"
              aria-hidden="true"
            >
              ${bars(result)}
            </svg>
          </li>`,
      )}
    </ol>
    <figcaption class="story-caption">${scenes[0]?.say("caption")}</figcaption>
  </figure>`;
}

function weightsOf(result: RunResult): readonly Series[] {
  const weights = result.figures.find(({ name }) => name === "weights");
  return weights && "series" in weights ? weights.series : [];
}

const yOf = linear([0, most], [height - 6, 2]);

/** One row's weights as they meet the values: each key's two bars side by side. */
function bars(result: RunResult): SVGTemplateResult[] {
  const series = weightsOf(result);
  const keys = series[0]?.y.length ?? 1;
  const slot = (width - left) / keys;
  const bar = slot * 0.36;
  return [
    ...[0, 0.25, 0.5].map(
      (tick) => svg`<line class="story-hair" x1=${left} x2=${width} y1=${yOf(tick)} y2=${yOf(tick)}></line>
        <text class="story-tick" x=${left - 5} y=${yOf(tick) + 3.5} text-anchor="end">${formatTick(tick)}</text>`,
    ),
    ...series.flatMap(({ y, role }, index) =>
      y.map((value, key) => {
        const y = yOf(value ?? 0);
        const x = left + key * slot + slot * 0.12 + index * (bar + 2);
        const look = index === 0 ? "role-scaled" : role === "unscaled" ? "role-unscaled" : "role-own";
        return svg`<g class=${look}><rect class="mark ${index === 0 ? "" : "story-hollow"}"
          x=${x.toFixed(1)} y=${y.toFixed(1)} width=${bar.toFixed(1)} height=${(yOf(0) - y).toFixed(1)}
          fill="currentColor"></rect></g>`;
      }),
    ),
  ];
}
