// The reader's vectors as arrows that can be dragged or moved by keys, and the three measures of each key. Their
// numbers are computed as those of every other run: by the kernels.
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { RunResult } from "../../bindings/api/types.ts";
import { formatDecimals, formatTick } from "../charts/format.ts";
import { px } from "../charts/layout.ts";
import type { FigureActions, FigureState } from "./figure_state.ts";
import { comparison, height, nearest, pixelsOf, scaleOf, vectorAfter, vectorAt } from "./plane.ts";
import { endOf, namePlaces, reach, ring, unit, vectorsOf, width, withVector, type Vector } from "./plane.ts";
import { fill, hint, word } from "../words/vocabulary.ts";

const measures = [
  ["dot", "scaled"],
  ["cosine_similarity", "other"],
  ["euclidean", "unscaled"],
] as const;

interface Measured {
  vectors: Vector[] | undefined;
  /** Each key's q·k, cosine and distance. */
  numbers: string[][];
  /** The key that each measure prefers. */
  best: number[];
}

/** Held by a pointer; the plane keeps its scale as long. */
let held: { id: string; index: number; scale: number } | undefined;

export function planeView(state: FigureState, actions: FigureActions): TemplateResult {
  const { id, vocabulary } = state;
  const { vectors, numbers, best } = measured(state, actions);
  if (!vectors || numbers.length !== vectors.length - 1) return html``;
  const scale = held?.id === id ? held.scale : scaleOf(vectors);
  const move = (index: number, vector: Vector | undefined): void => {
    if (vector) actions.input(...withVector(vectors, index, vector));
  };
  const at = (event: PointerEvent): Vector => {
    const area = (event.currentTarget as Element).getBoundingClientRect();
    const by = width / area.width;
    return [(event.clientX - area.left) * by, (event.clientY - area.top) * by];
  };
  const take = (event: PointerEvent): void => {
    const index = nearest(at(event), vectors, scale);
    if (index === undefined) return;
    event.preventDefault();
    held = { id, index, scale };
    const plane = event.currentTarget as Element;
    if (event.isTrusted) plane.setPointerCapture(event.pointerId); // a script's own pointers cannot be
    const heads = plane.querySelectorAll<SVGGElement>('[role="slider"]');
    heads[index]?.focus({ preventScroll: true });
  };
  const drag = (event: PointerEvent): void => {
    if (held?.id !== id) return;
    if (event.buttons === 0) held = undefined;
    else move(held.index, vectorAt(at(event), scale));
  };
  const drop = (): void => (held = undefined);
  const places = namePlaces(vectors, scale);
  const title = word(vocabulary, "figures", "plane");
  return html`<figure class="plane">
    <div class="chart">
      <svg
        class="chart-svg"
        viewBox="0 0 ${width} ${height}"
        role="group"
        aria-label=${title}
        @pointerdown=${take}
        @pointermove=${drag}
        @pointerup=${drop}
        @pointercancel=${drop}
        @lostpointercapture=${drop}
      >
        ${drawnGrid(id, scale)}
        ${vectors.map((vector, index) => {
          const head = pixelsOf(vector, scale);
          const compares = index > 0;
          const drawing = svg`${compares ? compared(vectors[0]!, vector, scale) : null}${arrow(id, vector, index, scale, places[index]!)}`;
          const said = index === 0 ? "" : `; ${spoken(numbers[index - 1]!, state)}`;
          const press = (event: KeyboardEvent): void => {
            const next = vectorAfter(event.key, event.shiftKey, vector, scale);
            if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            move(index, next);
          };
          return svg`<g class="plane-vector" tabindex="0" role="slider" aria-label="${word(vocabulary, "axes", index === 0 ? "query" : "key")} ${nameOf(index)}"
          aria-valuemin=${-endOf(scale)} aria-valuemax=${endOf(scale)} aria-valuenow=${vector[0]} aria-valuetext="${textOf(vector)}${said}" @keydown=${press}>
          ${drawing}<circle class="plane-reach" cx=${head[0]} cy=${head[1]} r=${reach}></circle>
          <circle class="plane-ring" cx=${head[0]} cy=${head[1]} r=${ring}></circle>
        </g>`;
        })}
      </svg>
    </div>
    <div class="plane-numbers">
      <table class="numbers">
        <caption>
          ${title}
        </caption>
        <thead>
          <tr>
            <th scope="col">${word(vocabulary, "axes", "key")}</th>
            ${measures.map(([name, role]) => html`<th scope="col" class="role-${role}">${word(vocabulary, "series", name)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${numbers.map(
            (row, key) =>
              html`<tr>
                <th scope="row">${nameOf(key + 1)} ${textOf(vectors[key + 1]!)}</th>
                ${row.map((number, i) => (best[i] === key ? html`<td class="best">✓ ${number}</td>` : html`<td>${number}</td>`))}
              </tr>`,
          )}
        </tbody>
      </table>
      <p class="figure-note">${fill(hint(vocabulary, "plane"), { q: textOf(vectors[0]!) })}</p>
    </div>
  </figure>`;
}

/** q, k₀, k₁ … */
function nameOf(index: number): string {
  return index === 0 ? "q" : `k${String.fromCharCode(0x2080 + index - 1)}`;
}

/** From the last result if it has the settings' vectors, else from a run that is over at once. */
function measured({ texts, result }: FigureState, actions: FigureActions): Measured {
  const isShown = result?.params.q === texts.q && result?.params.k === texts.k;
  const vectors = vectorsOf(texts);
  const changes = { d: "1", n_keys: "1", trials: "100", measured: "no" };
  const own = vectors && !isShown ? actions.quick(changes) : undefined;
  const run = own ?? result;
  return {
    vectors: own ? vectors : result && vectorsOf(result.params),
    numbers: numbersOf(run),
    best: measures.map(([name]) => bestKey(run, name)),
  };
}

function numbersOf(run: RunResult | undefined): string[][] {
  const rows: string[][] = [];
  for (const { name, at, value } of run?.printed ?? []) {
    const column = measures.findIndex(([measure]) => measure === name);
    (rows[Number(at.key)] ??= [])[column] = formatDecimals(value, 3);
  }
  return rows;
}

function bestKey(run: RunResult | undefined, measure: string): number {
  const found = run?.scalars.find(({ name, at }) => name === "best_key" && at.measure === measure);
  return found?.value ?? -1;
}

function spoken(numbers: readonly string[], { vocabulary }: FigureState): string {
  return measures.map(([name], i) => `${word(vocabulary, "series", name)} ${numbers[i]}`).join(", ");
}

function drawnGrid(id: string, scale: number): SVGTemplateResult {
  const [x, y] = pixelsOf([0, 0], scale);
  return svg`<defs>
      <pattern id="${id}-grid" x=${x} y=${y} width=${unit} height=${unit} patternUnits="userSpaceOnUse"><path class="plane-grid" d="M0 ${unit}V0H${unit}"></path></pattern>
      <marker id="${id}-head" class="plane-head" markerUnits="userSpaceOnUse" markerWidth="10" markerHeight="8" refX="9" refY="4" orient="auto"><path d="M0 0l9 4l-9 4z"></path></marker>
    </defs>
    <rect fill="url(#${id}-grid)" width=${width} height=${height}></rect>
    <path class="chart-base" d="M0 ${y}h${width}M${x} 0v${height}"></path>
    <g aria-hidden="true" text-anchor="middle">${[-4, 4].map(
      (n) =>
        svg`<text x=${x + n * unit} y=${y + 14}>${formatTick(n * scale)}</text><text x=${x - 11} y=${y - n * unit + 4}>${formatTick(n * scale)}</text>`,
    )}</g>`;
}

function compared(q: Vector, k: Vector, scale: number): SVGTemplateResult {
  const { shadow, perpendicular, angle, distance } = comparison(q, k, scale);
  return svg`<g class="plane-lines">
    <path class="role-scaled plane-shadow" d=${shadow}></path>
    <path class="role-scaled" d=${perpendicular} stroke-dasharray="2 3"></path>
    <path class="role-other" d=${angle}></path>
    <path class="role-unscaled" d=${distance} stroke-dasharray="7 4"></path>
  </g>`;
}

function arrow(id: string, vector: Vector, index: number, scale: number, name: Vector): SVGTemplateResult {
  const [[x0, y0], [x, y]] = [pixelsOf([0, 0], scale), pixelsOf(vector, scale)];
  return svg`<path class="plane-arrow ${index === 0 ? "plane-query" : ""}" d="M${x0} ${y0}L${x} ${y}" marker-end="url(#${id}-head)"></path>
    <text class="chart-title" x=${px(name[0])} y=${px(name[1] + 4)} text-anchor="middle">${nameOf(index)}</text>`;
}

/** (5, −2) */
function textOf(vector: Vector): string {
  return `(${vector.join(", ")})`.replaceAll("-", "−");
}
