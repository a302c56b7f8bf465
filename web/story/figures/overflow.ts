// A softmax of two scores that a reader types, in 32 bits: with the largest subtracted first, and without.
import { html, type TemplateResult } from "lit/html.js";
import type { RunResult } from "../../../bindings/api/types.ts";
import { formatNumber } from "../../charts/format.ts";
import { keep } from "../../elements/keep.ts";
import type { Scene, StoryFigure } from "../figure.ts";
import { radios } from "../radios.ts";

const names = ["high", "low"] as const;

export const figure: StoryFigure = {
  experiment: "softmax_overflow",
  start: { high: "89", low: "1", subtract: "no" },
  // The rows that it draws as well are few: only the given one is shown.
  params: ({ high, low }) => ({ scores: `${high},${low}`, d: "32", trials: "100" }),
  view,
};

/** In fp32: its exponentials and its weights. NaN stands as null. */
function rowOf({ figures }: RunResult, subtract: string | undefined): (number | null)[][] {
  const found = figures.find(({ name, at }) => name === "row_in_formats" && at["subtracted"] === subtract);
  const values = found?.grid?.values ?? [];
  return [values.slice(0, 2), values.slice(2, 4)];
}

const text = (value: number | null | undefined): string =>
  value === null || value === undefined ? "NaN" : formatNumber(value, 3);

function view(scene: Scene): TemplateResult {
  const { set, result, say, change } = scene;
  const subtract = set["subtract"] === "yes";
  const [powers = [], weights = []] = rowOf(result, set["subtract"]);
  const largest = Math.max(...names.map((name) => Number(set[name])));
  const broken = weights.some((weight) => weight === null);
  const cells = (values: readonly (number | null)[]): TemplateResult[] =>
    values.map(
      (value) =>
        html`<td class=${Number.isFinite(value ?? Number.NaN) ? "" : "story-broken"}>${text(value)}</td>`,
    );
  return html`<figure class="story-figure">
    <div class="story-controls">${radios(scene, figure, "subtract", ["no", "yes"])}</div>
    <table class="story-typed" aria-describedby="overflow-caption">
      <tbody>
        <tr>
          <th scope="row">${say("score")}</th>
          ${names.map(
            (name) =>
              html`<td>
                <span class="print-only">${set[name]}</span>
                <input
                  class="typed-score"
                  type="number"
                  name=${name}
                  aria-label=${say(name)}
                  min="-1000"
                  max="1000"
                  value=${figure.start[name]!}
                  ${keep({ value: set[name] ?? "" })}
                  @change=${(event: Event) => change({ [name]: (event.target as HTMLInputElement).value })}
                />
              </td>`,
          )}
        </tr>
        ${
          subtract
            ? html`<tr>
                <th scope="row">${say("minus")}</th>
                ${cells(names.map((name) => Number(set[name]) - largest))}
              </tr>`
            : ""
        }
        <tr>
          <th scope="row">${say("power")}</th>
          ${cells(powers)}
        </tr>
        <tr>
          <th scope="row">${say("weight")}</th>
          ${cells(weights)}
        </tr>
      </tbody>
    </table>
    <figcaption class="story-caption" id="overflow-caption">${say(broken ? "broken" : "whole")}</figcaption>
  </figure>`;
}
