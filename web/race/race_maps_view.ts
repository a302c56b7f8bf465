// The racers' weight maps of one attention, a map per head, and the menus that choose which.
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { AttentionMap } from "../../bindings/api/trainer.ts";
import type { Figure } from "../../bindings/api/types.ts";
import { chart } from "../charts/chart.ts";
import type { Among } from "../charts/context.ts";
import { keep } from "../elements/keep.ts";
import type { Inside, Lane, RaceActions, RaceState } from "./race_state.ts";
import { attentionName, attentionsOf, raceWord } from "./race_words.ts";

/** More would fill pages: then one head after the other is chosen. */
const maxMaps = 24;

export function mapsOf({ look }: Lane, attention: string): AttentionMap[] {
  return (look?.maps ?? []).filter((map) => map.attention === attention);
}

/** Which head is shown: undefined where all are. One that a racer lacks is its last. */
function headOf(lanes: readonly Lane[], { attention, head }: Inside): number | undefined {
  const count = lanes.reduce((sum, lane) => sum + mapsOf(lane, attention).length, 0);
  return head === undefined && count > maxMaps ? 0 : head;
}

export function mapMenus({ lanes, figure }: RaceState, inside: Inside, actions: RaceActions): TemplateResult {
  const { vocabulary, id } = figure;
  const attentions = attentionsOf(lanes).map((name): Option => [name, attentionName(name, vocabulary)]);
  const counts = lanes.map((lane) => mapsOf(lane, inside.attention).length);
  const heads = Array.from({ length: Math.max(0, ...counts) }, (_, head): Option => [
    `${head}`,
    `${head + 1}`,
  ]);
  const all = headOf(lanes, { ...inside, head: undefined }) === undefined;
  if (all && heads.length > 1) heads.unshift(["", raceWord(vocabulary, "all_heads")]);
  const head = String(headOf(lanes, inside) ?? "");
  return html`${menu(
    `${id}-attention`,
    raceWord(vocabulary, "attention"),
    attentions,
    inside.attention,
    (attention) => actions.choose({ attention, pointed: undefined }),
  )}
  ${menu(`${id}-head`, raceWord(vocabulary, "head"), heads, head, (text) =>
    actions.choose({ head: text === "" ? undefined : Number(text), pointed: undefined }),
  )}`;
}

type Option = [value: string, name: string];

function menu(
  id: string,
  label: string,
  options: readonly Option[],
  chosen: string,
  choose: (value: string) => void,
): TemplateResult | typeof nothing {
  if (options.length < 2) return nothing;
  return html`<div class="control control-choice">
    <label for=${id}>${label}</label>
    <select
      id=${id}
      autocomplete="off"
      ${keep({ value: chosen })}
      @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}
    >
      ${options.map(([value, name]) => html`<option value=${value} ?selected=${value === chosen}>${name}</option>`)}
    </select>
  </div>`;
}

export function mapsView(state: RaceState, inside: Inside, actions: RaceActions): TemplateResult {
  const head = headOf(state.lanes, inside);
  const all = state.lanes.flatMap((lane, place) => {
    const maps = mapsOf(lane, inside.attention);
    const shown = head === undefined ? maps : maps.slice(Math.min(head, maps.length - 1)).slice(0, 1);
    return shown.map((map): Placed => ({
      map,
      lane: place,
      id: `${state.figure.id}-map-${place}-${map.head}`,
    }));
  });
  return html`<div class="charts charts-maps">
    ${all.map((each) => mapView(state, inside, actions, each, amongOf(each, all)))}
  </div>`;
}

interface Placed {
  map: AttentionMap;
  lane: number;
  id: string;
}

/** The id of the map last used. */
let used = "";

/** All maps are one stop of the Tab key: the one last used, or the first. */
function amongOf({ id }: Placed, all: readonly Placed[]): Among | undefined {
  if (all.length < 2) return undefined;
  const last = all.find((each) => each.id === used) ?? all[0];
  return { stop: id === last?.id, take: () => (used = id) };
}

function mapView(
  { figure, lanes }: RaceState,
  inside: Inside,
  actions: RaceActions,
  { map, lane, id }: Placed,
  among: Among | undefined,
): TemplateResult {
  const { pointed } = inside;
  const several = lanes.some((other) => mapsOf(other, map.attention).length > 1);
  const head = several ? { head: String(map.head + 1) } : {};
  return chart(weightFigure(map, { ...lanes[lane]?.at, ...head }), {
    id,
    vocabulary: figure.vocabulary,
    compact: true,
    among,
    columns: 1,
    domain: { low: 0, high: 1 },
    cell: pointed?.lane === lane && pointed.head === map.head ? pointed.cell : undefined,
    point: (cell) => actions.choose({ pointed: cell && { lane, head: map.head, cell } }),
  });
}

const figures = new WeakMap<AttentionMap, Figure>();

/** Kept, because the heat map keeps its paths with it. */
function weightFigure(map: AttentionMap, at: Figure["at"]): Figure {
  const known = figures.get(map);
  if (known && JSON.stringify(known.at) === JSON.stringify(at)) return known;
  const { nQ, nK, queries, keys, weights } = map;
  const grid = { n_rows: nQ, n_cols: nK, rows: queries, cols: keys, values: Array.from(weights) };
  const axes = { x: "key", y: "query", z: "weight", log_x: false, log_y: false, y_max: 1 };
  const figure: Figure = { name: "weights", at, kind: "heatmap", ...axes, series: [], grid };
  figures.set(map, figure);
  return figure;
}
