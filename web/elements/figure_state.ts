// Everything that figureView shows, and everything that it can ask for: plain data and functions.
import type { Description, Param, RunResult } from "../../bindings/api/types.ts";
import type { ChartsState } from "../charts/groups.ts";
import type { Cell } from "../charts/context.ts";
import type { CodeKind } from "./code_export.ts";
import { wholeLook, type Look } from "./look.ts";
import type { Vocabulary } from "../words/vocabulary.ts";

/** What is wrong, in the reader's language; `argument` is the parameter beside which it is said, "" for all. */
export interface Problem {
  argument: string;
  message: string;
}

export interface FigureState extends ChartsState {
  /** Start of every id in the markup: unique in the document or shadow root. */
  id: string;
  vocabulary: Vocabulary;
  description: Description;
  /** The text of each control, as typed. */
  texts: Readonly<Record<string, string>>;
  /** What the reader's files are called; their bytes are texts. */
  files: Readonly<Record<string, { name: string; size: number }>>;
  /** The element's own defaults: what "reset" returns to. */
  defaults: Readonly<Record<string, string>>;
  /** The last good result; it stays while a new one is computed and when the input is wrong. */
  result?: RunResult | undefined;
  /** What is shown belongs to other settings than these. */
  stale: boolean;
  /** The reader has changed or started something, so that the verdict gives nothing away. */
  played: boolean;
  problems: readonly Problem[];
  /** A run is under way whose result is not shown yet. */
  busy: boolean;
  /** Results follow each other fast: what is folded or out of sight is not drawn. */
  changing?: boolean | undefined;
  /** Its share done, 0..1, once it takes so long that the reader should see it. */
  running?: number | undefined;
  /** What just happened (copied, cancelled), said to screen readers and shown beside the buttons. */
  note: string;
  /** A new result, said to screen readers once the input rests. */
  spoken: string;
  /** Computed where the page was built: what a reader sees until the element comes alive. */
  printed?: boolean | undefined;
  /** How much of it is shown. */
  look: Look;
  /** Stands in a shadow root, where the page around may have a place in it. */
  framed: boolean;
  /** Has an address of its own that reproduces it. */
  linkable: boolean;
  /** What folds away below the charts is open. */
  apparatusShown: boolean;
  /** The programs that there are, once the apparatus has been opened. */
  programs?: readonly CodeKind[] | undefined;
  /** The tables are open: long ones are only drawn then. */
  dataShown: boolean;
  /** The cell of a heat map that is pointed at, and which of the figures that is. */
  pointed?: { figure: number; cell: Cell } | undefined;
  /** Markup of an earlier life that stands where the output will, until there is a result. */
  placeholder?: readonly Node[] | undefined;
  /** The page's sentence beside each chart, by the chart's name, ready to be rendered. */
  notes?: Readonly<Record<string, unknown>> | undefined;
}

export type CopyKind = "lines" | "link" | "tag";
export type ExportKind = "csv" | "json" | "svg" | "png";

export interface FigureActions {
  input(param: string, text: string): void;
  /** As `input`, for a text of which a part means nothing: the run waits until the typing rests. */
  type(param: string, text: string): void;
  newSeed(param: string): void;
  file(param: string, file: File): void;
  removeFile(param: string): void;
  preset(name: string): void;
  reset(): void;
  cancel(): void;
  copy(kind: CopyKind): void;
  export(kind: ExportKind | CodeKind): void;
  showApparatus(shown: boolean): void;
  showData(shown: boolean): void;
  point(figure: number, cell: Cell | undefined): void;
  /** A run with these changes that is over at once; undefined where it is refused. */
  quick(texts: Readonly<Record<string, string>>): RunResult | undefined;
}

const nothing = (): undefined => undefined;

/** For markup that is only looked at. */
export const noActions: FigureActions = {
  input: nothing,
  type: nothing,
  newSeed: nothing,
  file: nothing,
  removeFile: nothing,
  preset: nothing,
  reset: nothing,
  cancel: nothing,
  copy: nothing,
  export: nothing,
  showApparatus: nothing,
  showData: nothing,
  point: nothing,
  quick: nothing,
};

export function defaultTexts(description: Description): Record<string, string> {
  return Object.fromEntries(description.params.map((param) => [param.name, param.default]));
}

export function sameTexts(texts: FigureState["texts"], others: FigureState["texts"]): boolean {
  return Object.entries(texts).every(([name, text]) => others[name] === text);
}

/** Every text of a preset: the defaults and what it changes. */
export function presetTexts(description: Description, name: string): Record<string, string> {
  const preset = description.presets?.find((one) => one.name === name);
  return { ...defaultTexts(description), ...preset?.params };
}

/** The name of the first preset with these texts. */
export function presetOf(description: Description, texts: FigureState["texts"]): string | undefined {
  const same = ({ name }: { name: string }): boolean =>
    Object.entries(presetTexts(description, name)).every(([param, text]) => texts[param] === text);
  return description.presets?.find(same)?.name;
}

/** Settings that the reader's own data take the place of: they have an effect where there are none. */
export function replacedParams({ description, texts }: FigureState): Param[] {
  const isOwn = (name: string): boolean => {
    const type = description.params.find((param) => param.name === name)?.type;
    return (type === "matrix" || type === "file") && texts[name] !== "";
  };
  return description.params.filter(({ shown_when = [] }) =>
    shown_when.some(({ param, is }) => is?.includes("") && isOwn(param)),
  );
}

/** The state of a figure that was just computed with its defaults: what a page is pre-rendered from. */
export function stillState(
  description: Description,
  result: RunResult | undefined,
  vocabulary: Vocabulary,
): FigureState {
  const defaults = defaultTexts(description);
  return {
    id: `${description.id}-figure`,
    vocabulary,
    description,
    texts: defaults,
    files: {},
    defaults,
    result,
    stale: false,
    played: false,
    problems: [],
    busy: false,
    note: "",
    spoken: "",
    look: wholeLook,
    framed: false,
    linkable: true,
    apparatusShown: false,
    dataShown: false,
  };
}

/** Whether a list ends with a comma, so that more is to come. */
export function isUnfinished(param: string, { description, texts }: FigureState): boolean {
  const type = description.params.find(({ name }) => name === param)?.type;
  return (type === "int_list" || type === "scale_list") && /,\s*$/.test(texts[param] ?? "");
}
