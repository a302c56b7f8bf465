// The room that an element keeps before there is anything to draw, so that nothing below it moves then: boxes in the grids of
// its charts, and the height of all the rest, which was measured (scripts/update_rooms.mjs).
import { manyMaps, manyOfOneName } from "../charts/many.ts";
import type { Look } from "./look.ts";
import measured from "./rooms.json" with { type: "json" };

/** Measured with the default settings, in the language that needs more. */
export interface MeasuredRoom {
  /** Lines of the question, by width. */
  lines: readonly number[];
  /** Steps of all but heading and charts, by width, and by how many of the controls are shown. */
  none: readonly number[];
  few: readonly number[];
  all: readonly number[];
  charts: readonly RoomChart[];
}

export interface RoomChart {
  name: string;
  /** Width by height. */
  ratio: number;
  /** "m": in a grid of many maps; "w": wide there. */
  kinds: string;
  /** Width by height of such a map where it is not among many. */
  alone: number;
  count: number;
  /** The settings of which each value has a chart, and how many values there are by default. */
  params: readonly (readonly [name: string, usual: number])[];
}

export interface RoomLook extends Pick<Look, "heading" | "controls" | "charts"> {
  /** A key of the table. */
  name: string;
  /** The text of a parameter where the page sets it. */
  text(param: string): string | null;
}

const { widths, step } = measured;

/**
 * The table is short: digits of base 36, one for each width; each look has what it adds to the one before. A chart is
 * "name/ratio/kinds/count/setting=values…", cut where the rest is usual; after the kinds of a map stands its ratio where it is
 * alone.
 */
export function measuredRoom(name: string): MeasuredRoom | undefined {
  const texts: Readonly<Record<string, string>> = measured.rooms;
  if (!Object.hasOwn(texts, name)) return undefined;
  const [heights = "", charts = ""] = texts[name]!.split("|");
  const [lines = [], none = [], few = none, all = few] = heights
    .split(" ")
    .map((digits) => Array.from(digits, (digit) => parseInt(digit, 36)));
  const sum = (a: readonly number[], b: readonly number[]): number[] =>
    a.map((height, i) => height + (b[i] ?? 0));
  const withFew = few === none ? none : sum(none, few);
  return {
    ...{ lines, none, few: withFew, all: all === few ? withFew : sum(withFew, all) },
    charts: charts.split(" ").filter(Boolean).map(chartOf),
  };
}

function chartOf(text: string): RoomChart {
  const [name = "", ratio, kind = "", count, ...params] = text.split("/");
  const [, kinds = "", alone] = /^(\D*)(.*)$/.exec(kind) ?? [];
  return {
    ...{ name, ratio: Number(ratio || 150) / 100, kinds, alone: Number(alone || ratio || 150) / 100 },
    count: Number(count || 1),
    params: params.map((param) => {
      const [key = "", usual] = param.split("=");
      return [key, Number(usual)];
    }),
  };
}

/** Of a line of the question, and the space below it, in rem. */
const [line, space] = [1.95, 0.75];

/** Pixels beside the charts, a step more than was measured: what is too high moves nothing. Beyond the measured widths the nearest counts, and between them the smaller one. */
export function heightBeside(
  room: MeasuredRoom,
  { heading, controls }: Pick<Look, "heading" | "controls">,
  width: number,
  rem: number,
): number {
  const next = widths.findIndex((measuredAt) => measuredAt > width);
  const place = next < 0 ? widths.length - 1 : Math.max(0, next - 1);
  const lines = heading ? (room.lines[place] ?? 0) : 0;
  const beside = room[controls][place] ?? 0;
  return (((beside + 1) * step) / 16 + (lines && lines * line + space)) * rem;
}

export interface RoomBox {
  ratio: number;
  wide: boolean;
}

export interface RoomGrid {
  compact: boolean;
  boxes: RoomBox[];
}

/** The grids of charts as they will be: each setting with several values may have a chart for each. */
export function roomGrids(
  { charts }: Pick<MeasuredRoom, "charts">,
  { charts: chosen, text }: Pick<RoomLook, "charts" | "text">,
): RoomGrid[] {
  const grids: RoomGrid[] = [];
  const drawn = charts.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
  const isMap = ({ kinds }: RoomChart): boolean => kinds.includes("m");
  const few = drawn.filter((chart) => isMap(chart) && chart.count < manyOfOneName);
  const hasMany = few.reduce((sum, { count }) => sum + count, 0) >= manyMaps;
  for (const chart of drawn) {
    const { ratio, kinds, alone, count: usualCount, params } = chart;
    const compact = isMap(chart) && (hasMany || usualCount >= manyOfOneName);
    const box = compact ? { ratio, wide: kinds.includes("w") } : { ratio: alone, wide: false };
    let count = usualCount;
    for (const [param, usual] of params) {
      const given = text(param);
      if (given !== null) count = (count / usual) * given.split(",").length;
    }
    if (grids.at(-1)?.compact !== compact) grids.push({ compact, boxes: [] });
    grids.at(-1)!.boxes.push(...Array.from({ length: Math.min(count, 99) }, () => box));
  }
  return grids;
}

export class Room {
  readonly #frame: HTMLElement;
  #isReserved = false;
  #end = (): void => {};

  constructor(frame: HTMLElement, look: RoomLook) {
    this.#frame = frame;
    const room = measuredRoom(look.name);
    if (!room) return;
    const beside = box("room-beside");
    const grids = roomGrids(room, look).map(({ compact, boxes }) => {
      const grid = box(`charts charts-${compact ? "maps" : Math.min(boxes.length, 5)}`);
      grid.append(
        ...boxes.map(({ ratio, wide }) => {
          const chart = box(wide ? "chart chart-wide" : "chart");
          chart.style.aspectRatio = String(ratio);
          return chart;
        }),
      );
      return grid;
    });
    const whole = box("room");
    whole.append(beside, ...grids);
    const rem = Math.max(16, parseFloat(getComputedStyle(document.documentElement).fontSize));
    // frame.css picks the one for the frame's width: an observer of sizes would come after the first layout.
    for (const [i, width] of widths.entries())
      beside.style.setProperty(`--room-${i}`, `${heightBeside(room, look, width, rem)}px`);
    frame.replaceChildren(whole);
    this.#isReserved = true;
  }

  /** Something will be drawn in it, which may be smaller. */
  hold(): void {
    if (!this.#isReserved) return;
    const height = this.#frame.offsetHeight;
    this.release();
    this.#frame.style.minHeight = `${height}px`;
    // As wide as the frame, but without its height, which Firefox may change once more after observers were told of it:
    // browsers complain of that.
    const gauge = box("gauge");
    this.#frame.before(gauge);
    const width = gauge.clientWidth;
    const watch = new ResizeObserver(() => {
      if (gauge.clientWidth !== width) this.release();
    });
    watch.observe(gauge);
    this.#end = () => {
      watch.disconnect();
      gauge.remove();
    };
  }

  /** It takes what it needs: the reader has changed it, or the window. */
  release(): void {
    this.#end();
    this.#end = () => {};
    this.#frame.style.minHeight = "";
  }
}

function box(name: string): HTMLElement {
  const made = document.createElement("div");
  made.className = name;
  return made;
}
