// Eight scores that one drags, one handle that spreads them all, and what the softmax makes of them.
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit/html.js";
import type { RunResult } from "../../../bindings/api/types.ts";
import { formatDecimals, formatNumber, formatTick } from "../../charts/format.ts";
import { linear } from "../../charts/scale.ts";
import { keep } from "../../elements/keep.ts";
import { apart, type Scene, type Settings, type StoryFigure } from "../figure.ts";

const reach = 2; // of a score before it is spread
const most = 1.4; // largest power of 10 to spread by: 25
const rowHeight = 28;
const track = [24, 204] as const; // where the scores are, in units of the drawing
const bar = 224;
const barWidth = 90;

export const figure: StoryFigure = {
  experiment: "article_snippet",
  start: { scores: "1.4,0.9,0.5,0.2,-0.2,-0.5,-0.9,-1.4", power: "0", key: "0" },
  // Of one dimension: the scores are the keys, and √1 divides nothing.
  params: (set) => ({ q: "1", k: spread(set).join(";") }),
  view,
};

/** Powers of 10 to spread by: marks out of 10, 100 and 1000; the scores divided, and those of d = 512. */
const marks = { ten: -0.7, hundred: 0.3, thousand: 1.3 } as const;
const roles = { scaled: 0, unscaled: 1.355 } as const;

const factorOf = (set: Settings): number => 10 ** Number(set["power"]);

function scoresOf(set: Settings): number[] {
  const given = (set["scores"] ?? "").split(",").map(Number);
  const start = figure.start["scores"]!.split(",").map(Number);
  return start.map((score, i) => (Number.isFinite(given[i]) ? within(given[i]!) : score));
}

const within = (score: number): number => Math.max(-reach, Math.min(reach, score));

/** The scores as the softmax sees them. */
export function spread(set: Settings): number[] {
  return scoresOf(set).map((score) => Number((score * factorOf(set)).toFixed(4)));
}

/** How far the axis reaches: it grows a little slower than the scores, so that these are seen to spread. */
export function axisReach(factor: number): number {
  return reach * (10 ** most / factor) ** 0.15 * factor;
}

function weightsOf({ figures: [shown] }: RunResult): number[] {
  const series = shown && "series" in shown ? shown.series[0] : undefined;
  return (series?.y ?? []).map((weight) => weight ?? 0);
}

/** The two largest scores, their lead and what it makes of the weights. */
export function leaders(scores: readonly number[]): { first: number; second: number; lead: number } {
  const order = scores.map((_, i) => i).sort((a, b) => scores[b]! - scores[a]! || a - b);
  const [first = 0, second = 0] = order;
  return { first, second, lead: scores[first]! - scores[second]! };
}

function view({ set, result, say, change }: Scene): TemplateResult {
  const factor = factorOf(set);
  const power = Number(set["power"]);
  const button = (name: string, at: number, look = ""): TemplateResult =>
    html`<button
      type="button"
      class="button ${look}"
      id="ratios-${name}"
      aria-pressed=${String(Math.abs(power - at) < 0.001)}
      @click=${() => change({ power: String(at) })}
    >
      ${say(name)}
    </button>`;
  const { first, second, lead } = leaders(spread(set));
  const said = {
    first: String(first + 1),
    second: String(second + 1),
    lead: formatDecimals(lead, 2),
    ratio: formatNumber(Number(Math.exp(lead).toPrecision(3)), 3).replace(/\B(?=(\d{3})+$)/g, ","),
    weight: formatDecimals(weightsOf(result)[first], 3),
  };
  return html`<figure class="story-figure">
    <div class="story-controls">
      <label for="ratios-power"
        >${say("power")} <b class="story-number">× ${formatTick(Number(factor.toPrecision(3)))}</b></label
      >
      <input
        id="ratios-power"
        type="range"
        name="power"
        min="-1"
        max=${most}
        step="0.005"
        value=${figure.start["power"]!}
        aria-valuetext=${formatNumber(factor, 3)}
        ${keep({ value: set["power"] ?? "" })}
        @input=${(event: Event) => change({ power: (event.target as HTMLInputElement).value })}
      />
    </div>
    <div class="story-controls ratios-buttons" role="group" aria-label=${say("spreads")}>
      ${button("scaled", roles.scaled, "role-scaled")} ${button("unscaled", roles.unscaled, "role-unscaled")}
    </div>
    <div class="story-controls ratios-buttons" role="group" aria-label=${say("marks")}>
      <span>${say("marks")}</span>
      ${Object.entries(marks).map(([name, at]) => button(name, at))}
    </div>
    ${drawing(set, result, say, change)}
    <figcaption class="story-caption" id="ratios-caption">
      ${apart(say("caption", said))}<span class="screen-only">${say("hands")}</span>
    </figcaption>
  </figure>`;
}

/** A row for each key: its handle on the common axis, and its weight. */
function drawing(
  set: Settings,
  result: RunResult,
  say: Scene["say"],
  change: Scene["change"],
): TemplateResult {
  const factor = factorOf(set);
  const far = axisReach(factor);
  const x = linear([-far, far], [track[0], track[1]]);
  const scores = scoresOf(set);
  const weights = weightsOf(result);
  const power = Number(set["power"]);
  const role = power === roles.scaled ? "scaled" : power === roles.unscaled ? "unscaled" : "other";
  const height = scores.length * rowHeight + 22;
  const chosen = Math.min(Number(set["key"]) || 0, scores.length - 1);
  const put = (key: number, score: number): void => {
    const moved = scores.map((each, i) => (i === key ? Number(within(score).toFixed(2)) : each));
    change({ scores: moved.join(), key: String(key) });
  };
  const drag = (key: number, event: PointerEvent): void => {
    const { left, width } = (event.currentTarget as SVGElement).ownerSVGElement!.getBoundingClientRect();
    const at = ((event.clientX - left) / width) * 360;
    put(key, ((at - track[0]) / (track[1] - track[0]) - 0.5) * 2 * (far / factor));
  };
  const press = (key: number, event: KeyboardEvent): void => {
    const step = event.shiftKey ? 0.5 : 0.05;
    const go = (to: number): void => {
      change({ key: String(to) });
      (event.currentTarget as SVGElement).ownerSVGElement
        ?.querySelector<SVGElement>(`#ratios-key-${to}`)
        ?.focus();
    };
    const by: Record<string, () => void> = {
      ArrowRight: () => put(key, scores[key]! + step),
      ArrowLeft: () => put(key, scores[key]! - step),
      ArrowUp: () => go(Math.max(0, key - 1)),
      ArrowDown: () => go(Math.min(scores.length - 1, key + 1)),
      Home: () => put(key, -reach),
      End: () => put(key, reach),
    };
    const act = by[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  const row = (score: number, key: number): SVGTemplateResult => {
    const y = (key + 0.5) * rowHeight;
    const weight = weights[key] ?? 0;
    return svg`<line class="story-hair" x1=${track[0]} x2=${track[1]} y1=${y} y2=${y}></line>
      <g class="ratios-handle" id="ratios-key-${key}" role="slider" tabindex=${key === chosen ? 0 : -1}
        aria-label=${say("key", { key: String(key + 1) })} aria-valuemin=${formatFixed(-reach * factor)}
        aria-valuemax=${formatFixed(reach * factor)} aria-valuenow=${formatFixed(score * factor)}
        @pointerdown=${(event: PointerEvent) => {
          (event.currentTarget as SVGElement).setPointerCapture(event.pointerId);
          (event.currentTarget as SVGElement).focus({ preventScroll: true });
          drag(key, event);
        }}
        @pointermove=${(event: PointerEvent) => {
          if ((event.currentTarget as SVGElement).hasPointerCapture(event.pointerId)) drag(key, event);
        }}
        @keydown=${(event: KeyboardEvent) => press(key, event)}>
        <rect class="ratios-touch" x=${track[0] - 12} y=${key * rowHeight} width=${track[1] - track[0] + 24} height=${rowHeight}></rect>
        <circle class="ratios-dot" cx=${x(score * factor).toFixed(1)} cy=${y} r="7"></circle>
      </g>
      <text class="story-tick" x="0" y=${y + 4}>${key + 1}</text>
      <g class="role-${role}" transform="translate(${bar} ${y - 8})">
        <rect class="ratios-bar" width=${barWidth} height="16" transform="scale(${weight.toFixed(5)} 1)"></rect>
      </g>
      <text class="story-tick" x="360" y=${y + 4} text-anchor="end">${formatDecimals(weight, 3)}</text>`;
  };
  const bottom = scores.length * rowHeight;
  return html`<svg
    class="story-drawing ratios"
    viewBox="0 0 360 ${height}"
    aria-labelledby="ratios-caption"
    role="group"
  >
    ${x.ticks(5).map(
      (tick) => svg`<line class="story-hair" x1=${x(tick)} x2=${x(tick)} y1="0" y2=${bottom}></line>
        <text class="story-tick" x=${x(tick)} y=${bottom + 15} text-anchor="middle">${formatTick(tick)}</text>`,
    )}
    ${scores.map(row)}
    <text class="story-tick" x=${bar} y=${bottom + 15}>${say("weights")}</text>
  </svg>`;
}

const formatFixed = (value: number): string => String(Number(value.toFixed(3)));
