// How much of a figure is shown, as its attributes say: heading="none", controls="none|few|all", charts="name …", lines,
// caption.
import type { Description, Param, Preset } from "../../bindings/api/types.ts";
import type { Figure, RunResult } from "../../bindings/api/types.ts";

export const lookTexts = ["heading", "controls", "charts"] as const;
export const lookFlags = ["lines", "caption"] as const;
const choices = { heading: ["question", "none"], controls: ["all", "few", "none"] } as const;

export interface Look {
  /** The question as a heading. */
  heading: boolean;
  controls: (typeof choices.controls)[number];
  /** The names of the charts that are drawn; none: all of them. */
  charts: readonly string[];
  /** The printed lines stand below the charts, not folded. */
  lines: boolean;
  /** What the charts show in words stands below them. */
  captions: boolean;
}

/** As the page has all of its figures. */
export const wholeLook: Look = { heading: false, controls: "all", charts: [], lines: false, captions: false };

export function lookOf(element: HTMLElement): Look {
  const isLeft = (name: keyof typeof choices, value: string): boolean => element.getAttribute(name) === value;
  return {
    heading: !isLeft("heading", "none"),
    controls: isLeft("controls", "none") ? "none" : isLeft("controls", "few") ? "few" : "all",
    charts: (element.getAttribute("charts") ?? "").split(/[\s,]+/).filter(Boolean),
    lines: element.hasAttribute("lines"),
    captions: element.hasAttribute("caption"),
  };
}

/** What of the attributes means nothing, with the fields of the library's errors. */
export function lookErrors(element: HTMLElement, { params, words }: Description): Error[] {
  const wrong = Object.entries(choices).flatMap(([name, known]) => {
    const got = element.getAttribute(name) ?? "";
    const isKnown = got === "" || (known as readonly string[]).includes(got);
    return isKnown ? [] : [refusal("not_a_choice", name, known, got)];
  });
  const figures = words["figures"] ?? [];
  const unknown = lookOf(element).charts.filter((name) => !figures.includes(name));
  const names = params.map(({ name }) => name);
  const misspelt = element.getAttributeNames().filter((name) => isMisspelt(name, names));
  return [
    ...wrong,
    ...unknown.map((name) => refusal("unknown_name", "charts", figures, name)),
    ...misspelt.map((name) => refusal("unknown_name", "params", names, name)),
  ];
}

/** Meant as a parameter: with an underscore, as no attribute of HTML is, or as one that is written otherwise. */
function isMisspelt(attribute: string, names: readonly string[]): boolean {
  if (names.includes(attribute)) return false;
  const plain = (name: string): string => name.replace(/[-_]/g, "");
  return /^[a-z0-9]+_/.test(attribute) || names.some((name) => plain(name) === plain(attribute));
}

export function refusal(code: string, argument: string, known: readonly string[], got: string): Error {
  const expected = known.join(", ");
  const message = `${argument} is one of ${expected}, not "${got}"`;
  return Object.assign(new Error(message), { code, argument, expected, got });
}

/** The result with the chosen charts alone. */
export function withCharts(result: RunResult | undefined, names: readonly string[]): RunResult | undefined {
  if (!result || names.length === 0) return result;
  const figures = result.figures.filter(({ name }: Figure) => names.includes(name));
  return figures.length > 0 ? { ...result, figures } : result;
}

/** `few`: the choice of presets where there is one, else the first two settings that stand at once. */
export function fewParams({
  params,
  presets,
}: {
  params: readonly Param[];
  presets?: readonly Preset[] | undefined;
}): Param[] {
  return presets?.length ? [] : params.filter(({ group }) => !group).slice(0, 2);
}
