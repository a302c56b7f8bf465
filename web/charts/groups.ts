// How the charts of a result stand together, and what each has to know of the others.
import type { Figure } from "../../bindings/api/types.ts";
import type { Vocabulary } from "../words/vocabulary.ts";
import type { Among, ChartContext } from "./context.ts";
import { kindOf } from "./kinds.ts";
import { manyMaps, manyOfOneName } from "./many.ts";

export interface ChartGroup {
  compact: boolean; // many maps
  mixed: boolean; // of more than one name
  indices: number[];
}

/** The charts in their order; many heat maps stand closer together, in a grid of their own. */
export function chartGroups(figures: readonly Figure[]): ChartGroup[] {
  const maps = figures.filter((figure) => kindOf(figure).ofMany);
  const hasMany = (name: string): boolean =>
    maps.filter((other) => other.name === name).length >= manyOfOneName;
  const others = maps.filter(({ name }) => !hasMany(name)).length;
  const gridOf = (figure: Figure): string | undefined => {
    if (!kindOf(figure).ofMany) return undefined;
    if (hasMany(figure.name)) return figure.name;
    return others >= manyMaps ? "" : undefined;
  };
  const groups: ChartGroup[] = [];
  figures.forEach((figure, index) => {
    const own = gridOf(figure);
    const last = groups.at(-1);
    if (last && gridOf(figures[index - 1]!) === own) last.indices.push(index);
    else groups.push({ compact: own !== undefined, mixed: false, indices: [index] });
  });
  for (const group of groups) {
    const [first, ...rest] = group.indices.map((index) => figures[index]?.name);
    group.mixed = group.compact && rest.some((name) => name !== first);
  }
  return groups;
}

/** The context of the figure with this index in the group; `id` and `vocabulary` are those of the whole. */
export function chartContext(
  index: number,
  { compact, mixed, indices }: ChartGroup,
  figures: readonly Figure[],
  { id, vocabulary, cursor }: ChartsState,
): ChartContext {
  const figure = figures[index]!;
  const named = figures.some((other) => other.name !== figure.name && sameAt(other, figure));
  const maps = indices.filter((other) => kindOf(figures[other]!).ofMany);
  const context: ChartContext = {
    id: `${id}-chart-${index}`,
    vocabulary,
    named,
    cursor,
  };
  const ofMany = kindOf(figure).ofMany?.(figure, figures, mixed);
  return ofMany ? { ...context, compact, mixed, among: amongOf(index, maps, id), ...ofMany } : context;
}

/** The map last used, by the whole and the first map of its group. */
const used = new Map<string, number>();

function amongOf(index: number, maps: readonly number[], id: string): Among | undefined {
  if (maps.length < 2) return undefined;
  const group = `${id} ${maps[0]}`;
  const last = used.get(group) ?? -1;
  return { stop: index === (maps.includes(last) ? last : maps[0]), take: () => used.set(group, index) };
}

function sameAt({ at }: Figure, { at: other }: Figure): boolean {
  const names = Object.keys(at);
  return names.length === Object.keys(other).length && names.every((name) => at[name] === other[name]);
}

export interface ChartsState {
  id: string;
  vocabulary: Vocabulary;
  /** The step to point out in line charts over steps. */
  cursor?: number | undefined;
}
