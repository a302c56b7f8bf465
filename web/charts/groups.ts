// How the charts of a result stand together, and what each has to know of the others.
import type { Figure } from "../../bindings/types.ts";
import type { Vocabulary } from "../elements/vocabulary.ts";
import { columnsOf, emptyGrid } from "./heat_layout.ts";
import { heatDomain } from "./heat_scale.ts";
import type { ChartContext, Picture } from "./layout.ts";

export interface ChartGroup {
  compact: boolean; // many maps
  mixed: boolean; // of more than one name
  indices: number[];
}

const manyOfOneName = 4;
const manyMaps = 7;

/** The charts in their order; many heat maps stand closer together, in a grid of their own. */
export function chartGroups(figures: readonly Figure[]): ChartGroup[] {
  const maps = figures.filter(({ kind }) => kind === "heatmap");
  const hasMany = (name: string): boolean =>
    maps.filter((other) => other.name === name).length >= manyOfOneName;
  const others = maps.filter(({ name }) => !hasMany(name)).length;
  const gridOf = ({ kind, name }: Figure): string | undefined => {
    if (kind !== "heatmap") return undefined;
    if (hasMany(name)) return name;
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

/** Of the figure with this index in the group; `id` and `vocabulary` are those of the whole. */
export function chartContext(
  index: number,
  { compact, mixed }: ChartGroup,
  figures: readonly Figure[],
  { id, vocabulary, pictures, cursor }: ChartsState,
): ChartContext {
  const figure = figures[index]!;
  const named = figures.some((other) => other.name !== figure.name && sameAt(other, figure));
  const context = { id: `${id}-chart-${index}`, vocabulary, picture: pictures?.(index), named, cursor };
  if (figure.kind !== "heatmap") return context;
  const columns = mixed ? columnsOf(figure.grid ?? emptyGrid) : 1;
  const same = sameLabels(figures.filter(({ name }) => name === figure.name));
  return { ...context, compact, mixed, columns, same, domain: heatDomain(figure, figures) };
}

function sameAt({ at }: Figure, { at: other }: Figure): boolean {
  const names = Object.keys(at);
  return names.length === Object.keys(other).length && names.every((name) => at[name] === other[name]);
}

/** Labels that tell none of these from another. */
function sameLabels(figures: readonly Figure[]): string[] {
  const [first, ...rest] = figures;
  if (!first || rest.length === 0) return [];
  return Object.keys(first.at).filter((label) => rest.every(({ at }) => at[label] === first.at[label]));
}

export interface ChartsState {
  id: string;
  vocabulary: Vocabulary;
  /** The charts as images, to show in their place. */
  pictures?: ((index: number) => Picture) | undefined;
  /** Of line charts over steps: the one to point out. */
  cursor?: number | undefined;
}
