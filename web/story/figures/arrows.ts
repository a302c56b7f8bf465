// A query that one moves among three keys: which key is most like it, by dot product, by angle, by distance?
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { RunResult } from "../../../bindings/api/types.ts";
import { formatNumber } from "../../charts/format.ts";
import { keep } from "../../elements/keep.ts";
import type { Scene, StoryFigure } from "../figure.ts";

const keys = ["0.4,0.2", "5,-2", "2,0.2"] as const;
const names = ["a", "b", "c"] as const;
const measures = ["dot", "cosine_similarity", "euclidean"] as const;
const width = 360;
const height = 220;
const unit = 40; // of the drawing, for a length of 1
const origin = { x: 90, y: 120 };
const reach = { left: -2, right: 6, down: -2.4, up: 2.8 };

export const figure: StoryFigure = {
  experiment: "similarity_measures",
  start: { right: "2", up: "1" },
  params: ({ right = "", up = "" }) => ({
    ...{ q: `${right},${up}`, k: keys.join(";") },
    ...{ d: "2", n: "8", trials: "100" },
  }),
  view,
};

const best = (result: RunResult, measure: string): number =>
  result.scalars.find(({ name, at }) => name === "best_key" && at["measure"] === measure)?.value ?? 0;

function view({ set, result, say, change }: Scene): TemplateResult {
  const q = { x: Number(set["right"]), y: Number(set["up"]) };
  const winners = measures.map((measure) => best(result, measure));
  const place = (event: PointerEvent): void => {
    const plane = event.currentTarget as SVGSVGElement;
    const box = plane.getBoundingClientRect();
    const scale = width / box.width;
    const right = ((event.clientX - box.left) * scale - origin.x) / unit;
    const up = (origin.y - (event.clientY - box.top) * scale) / unit;
    const round = (value: number, least: number, most: number): string =>
      String(Math.round(Math.min(most, Math.max(least, value)) * 10) / 10);
    change({
      right: round(right, reach.left, reach.right),
      up: round(up, reach.down, reach.up),
    });
  };
  const press = (event: PointerEvent): void => {
    (event.currentTarget as SVGSVGElement).setPointerCapture(event.pointerId);
    place(event);
  };
  const drag = (event: PointerEvent): void => {
    if ((event.currentTarget as SVGSVGElement).hasPointerCapture(event.pointerId)) place(event);
  };
  const slider = (name: "right" | "up", least: number, most: number): TemplateResult =>
    html`<div class="story-pair">
      <label for="arrows-${name}">${say(name)}</label>
      <input
        id="arrows-${name}"
        type="range"
        name=${name}
        min=${least}
        max=${most}
        step="0.1"
        value=${figure.start[name]!}
        ${keep({ value: set[name] ?? "" })}
        @input=${(event: Event) => change({ [name]: (event.target as HTMLInputElement).value })}
      />
    </div>`;
  return html`<figure class="story-figure">
    <svg
      class="story-drawing story-plane"
      viewBox="0 0 ${width} ${height}"
      role="img"
      aria-labelledby="arrows-caption"
      @pointerdown=${press}
      @pointermove=${drag}
    >
      ${arrows(q)}
    </svg>
    <div class="story-controls">
      ${slider("right", reach.left, reach.right)} ${slider("up", reach.down, reach.up)}
    </div>
    <table class="story-table">
      <caption class="visually-hidden">
        ${say("chosen")}
      </caption>
      <tbody>
        ${measures.map(
          (measure, index) =>
            html`<tr>
              <th scope="row">${say(measure)}</th>
              <td>${names[winners[index] ?? 0]}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <figcaption class="story-caption" id="arrows-caption">
      ${say("caption", {
        right: formatNumber(q.x),
        up: formatNumber(q.y),
        ...Object.fromEntries(measures.map((measure, index) => [measure, names[winners[index] ?? 0] ?? ""])),
      })}
    </figcaption>
  </figure>`;
}

function arrows(q: { x: number; y: number }): SVGTemplateResult[] {
  const at = ({ x, y }: { x: number; y: number }): { x: number; y: number } => ({
    x: origin.x + x * unit,
    y: origin.y - y * unit,
  });
  const arrow = (to: { x: number; y: number }, name: string, look: string): SVGTemplateResult => {
    const tip = at(to);
    const angle = (Math.atan2(origin.y - tip.y, tip.x - origin.x) * -180) / Math.PI;
    return svg`<g class=${look}>
      <line class="story-line" x1=${origin.x} y1=${origin.y} x2=${tip.x.toFixed(1)} y2=${tip.y.toFixed(1)}></line>
      <path fill="currentColor" d="M0 0L-9 -4V4Z"
        transform="translate(${tip.x.toFixed(1)} ${tip.y.toFixed(1)}) rotate(${angle.toFixed(1)})"></path>
      <text x=${(tip.x + 6).toFixed(1)} y=${(tip.y - 6).toFixed(1)}>${name}</text>
    </g>`;
  };
  return [
    svg`<line class="story-hair" x1="0" x2=${width} y1=${origin.y} y2=${origin.y}></line>
      <line class="story-hair" x1=${origin.x} x2=${origin.x} y1="0" y2=${height}></line>`,
    ...keys.map((text, index) => {
      const [x = 0, y = 0] = text.split(",").map(Number);
      return arrow({ x, y }, names[index] ?? "", "story-key");
    }),
    arrow(q, "q", "role-own"),
  ];
}
