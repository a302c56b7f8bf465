// What crosses the border as JSON: the description of an experiment and the result of a run.
// The C++ side writes this text (src/lab/experiment.h); these types name its fields.

/** What every parameter of an experiment has. Its value has one text form everywhere: command line, URL, attribute, here. */
interface AnyParam {
  readonly name: string;
  /** Text form, e.g. `"32,128,512"`; empty for a matrix or file that is not given. */
  readonly default: string;
  /** The group behind whose summary it stands, e.g. `"optimizer"`; `"more"`: that of all others. None: shown at once. */
  readonly group?: string;
  /** It has an effect only where all of these hold. */
  readonly shown_when?: readonly Condition[];
  readonly min?: number;
  readonly max?: number;
  readonly max_count?: number;
  readonly choices?: readonly string[];
  readonly accept?: string;
}

/** A whole or real number from `min` to `max`. */
export interface NumberParam extends AnyParam {
  readonly type: "int" | "real";
  readonly min: number;
  readonly max: number;
}

/** At most `max_count` whole numbers, each from `min` to `max`. */
export interface IntListParam extends AnyParam {
  readonly type: "int_list";
  readonly min: number;
  readonly max: number;
}

/** One of `choices`. */
export interface ChoiceParam extends AnyParam {
  readonly type: "choice";
  readonly choices: readonly string[];
}

/** At most `max_count` scales (absent: one); `choices`: the names that it takes beside numbers. */
export interface ScaleListParam extends AnyParam {
  readonly type: "scale_list";
}

/** The seed of the random numbers: 0 .. 2^64 - 1. */
export interface SeedParam extends AnyParam {
  readonly type: "seed";
}

/** The reader's own numbers; `accept`: which files are read, as in HTML. */
export interface MatrixParam extends AnyParam {
  readonly type: "matrix";
}

/** At most `max_count` bytes of UTF-8. */
export interface TextParam extends AnyParam {
  readonly type: "text";
  readonly max_count: number;
}

/** The reader's own file of at most `max_count` bytes; `accept`: which files are read, as in HTML. */
export interface FileParam extends AnyParam {
  readonly type: "file";
  readonly max_count: number;
}

/** One parameter of an experiment. */
export type Param =
  NumberParam | IntListParam | ChoiceParam | ScaleListParam | SeedParam | MatrixParam | TextParam | FileParam;
export type ParamType = Param["type"];

/** The text of parameter `param` is one of `is`, or none of `is_not`. */
export interface Condition {
  readonly param: string;
  readonly is?: readonly string[];
  readonly is_not?: readonly string[];
}

/** Settings with a name: these parameters, and the defaults of all others. */
export interface Preset {
  readonly name: string;
  readonly params: Labels;
}

/** An experiment: one claim made checkable. */
export interface Description {
  readonly id: string;
  /** English, one line. */
  readonly question: string;
  /** The passage of the article, e.g. `"article 1, runnable example"`. */
  readonly source: string;
  /** The WebAssembly module that holds it. */
  readonly module: "first" | "experiments";
  /** Its group in the laboratory. */
  readonly group: "claim" | "why" | "breaks" | "where" | "rest";
  /** Its chapter of the story; absent where it is in the laboratory only. */
  readonly chapter?: number;
  readonly params: readonly Param[];
  readonly presets?: readonly Preset[];
  /** Measures the device it runs on: every result has times. */
  readonly timed?: boolean;
  /**
   * The names that the results may carry, by topic: `verdicts`, `scalars`, `symbols` (of labels), `figures`, `axes`,
   * `series`, `choices` (values of labels). A vocabulary needs a word for each, and for the names of the description.
   */
  readonly words: Readonly<Record<string, readonly string[]>>;
}

/** Where a number or a figure belongs, e.g. `{ d: "32", scale: "none" }`; values are the parameters' text. */
export type Labels = Readonly<Record<string, string>>;

/** A measured number. `null` stands for NaN; absent fields were not measured or have no theory. */
export interface Scalar {
  readonly name: string;
  readonly at: Labels;
  /** Mean over the trials, or the one value. */
  readonly value: number | null;
  /** Standard error of `value`. */
  readonly se?: number | null;
  /** What theory says `value` should be. */
  readonly expected?: number | null;
  /** Spread over the trials: standard deviation, 10th, 50th and 90th percentile. */
  readonly std?: number | null;
  readonly p10?: number | null;
  readonly p50?: number | null;
  readonly p90?: number | null;
}

/** Decides colour and mark of a series. */
export type Role = "scaled" | "unscaled" | "other" | "reference";

/** Points that belong together. */
export interface Series {
  readonly name: string;
  readonly role: Role;
  readonly x: readonly (number | null)[];
  /** As long as `x`. */
  readonly y: readonly (number | null)[];
  /** Standard errors of `y`: absent, empty, or as long as `y`. */
  readonly y_se?: readonly (number | null)[];
  /** A band around `y`, e.g. from the lowest to the highest seed: both are absent or as long as `y`. */
  readonly low?: readonly (number | null)[];
  readonly high?: readonly (number | null)[];
}

/** A matrix as a map of colours. Without names, rows and columns are numbered from 0. */
export interface Grid {
  readonly n_rows: number;
  readonly n_cols: number;
  readonly rows?: readonly string[];
  readonly cols?: readonly string[];
  /** Row-major; `null`: masked, or not there. */
  readonly values: readonly (number | null)[];
}

interface AnyFigure {
  readonly name: string;
  readonly at: Labels;
  /** What the axes show: keys of a vocabulary, e.g. `"key"`, `"weight"`. */
  readonly x: string;
  readonly y: string;
  readonly log_x: boolean;
  readonly log_y: boolean;
  /** A fixed top of the y axis (of a heat map's colours), e.g. 1 for probabilities. */
  readonly y_max?: number;
  readonly series: readonly Series[];
}

/** Bars, lines or a histogram of its series. */
export interface SeriesFigure extends AnyFigure {
  readonly kind: "bars" | "lines" | "histogram";
  readonly z?: undefined;
  readonly grid?: undefined;
}

/**
 * A map of colours: `x` names its columns, `y` its rows, `z` what the colours show. Series are lines over the cells, in
 * columns and rows; that of "not_a_number" names the cells that hold NaN.
 */
export interface HeatMapFigure extends AnyFigure {
  readonly kind: "heatmap";
  readonly z: string;
  readonly grid: Grid;
}

/** A chart that can be drawn from this description alone. */
export type Figure = SeriesFigure | HeatMapFigure;
export type FigureKind = Figure["kind"];

/** A finished run. The same id and parameters give the same text, bit for bit, on every machine, unless timed. */
export interface RunResult {
  readonly experiment: string;
  /** Every parameter in canonical text form, defaults filled in; of a file its size and hash. */
  readonly params: Labels;
  /** Lines in the article's own format. */
  readonly lines: readonly string[];
  /** Numbers of these lines, where a view shows them too. */
  readonly printed?: readonly Scalar[];
  readonly scalars: readonly Scalar[];
  readonly figures: readonly Figure[];
  /** Does what was computed agree with the precise statement? `null`: that cannot be judged here. */
  readonly holds: boolean | null;
  /** Key of a vocabulary, e.g. `"variance_is_d"`; where nothing can be judged, the reason. */
  readonly verdict: string;
  /** Has times of the device it ran on: no two runs are the same. */
  readonly timed?: boolean;
  /** 16 hex digits over every name and every bit of every number. */
  readonly hash: string;
}

/** Row-major numbers with their shape; accepted wherever a tensor is. */
export interface ShapedData<Value = number> {
  readonly data: ArrayLike<Value>;
  readonly shape: readonly number[];
}

/** What is used of a tensor whose numbers are a parameter. */
export interface TensorCopy {
  readonly shape: readonly number[];
  /** A copy of the numbers, row-major. */
  toArray(): Float32Array;
}

/**
 * A parameter's value: its text form, or what `String()` and `join(",")` turn into it. A matrix may be an array of
 * rows, `{ data, shape: [rows, columns] }` or a tensor, a file its bytes. A seed beyond 2^53 is a bigint or a decimal
 * string.
 */
export type RunParam =
  | string
  | number
  | bigint
  | readonly (number | string)[]
  | readonly (readonly number[])[]
  | ShapedData
  | TensorCopy
  | Uint8Array
  | ArrayBuffer;
/** By the names of the parameters. */
export type RunParams = Readonly<Record<string, RunParam>>;

/** How a run is watched and ended. */
export interface RunOptions {
  /** Aborting rejects with or throws its reason. On the main thread it is looked at between blocks of work. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the share done, 0..1; returning false cancels with an `AbortError`. What it throws is thrown on. */
  readonly onProgress?: ((share: number) => unknown) | undefined;
}

/**
 * What is wrong with `argument`; stable names for messages in other languages. What `expected` and `got` then say:
 *
 * - `out_of_range`: expected `"1 .. 16384"`
 * - `not_a_number`: expected which kind of number
 * - `not_a_choice`, `unknown_name`: expected the allowed values or names, comma separated
 * - `empty`: expected `"at least 1 value"` or the like
 * - `too_many`: expected the allowed maximum
 * - `wrong_shape`: expected a shape, e.g. `"(n_keys, 32)"`
 * - `not_finite`: got where and which, e.g. `"NaN in row 2, column 3"`
 * - `truncated`: expected the bytes needed, got the bytes present
 * - `unsupported`: expected what is supported, got what came
 * - `out_of_memory`: got the bytes asked for
 * - `load_failed`: a `LoadError`, see its `step`
 * - `disposed`: something was used after its memory was given back
 * - `stale_view`: a view was used after the module's memory had moved
 * - `worker_failed`: worker after worker ended during a call
 * - `internal`: a mistake of this library
 */
export type ErrorCode =
  | "out_of_range"
  | "not_a_number"
  | "not_a_choice"
  | "unknown_name"
  | "empty"
  | "too_many"
  | "wrong_shape"
  | "not_finite"
  | "truncated"
  | "unsupported"
  | "out_of_memory"
  | "load_failed"
  | "disposed"
  | "stale_view"
  | "worker_failed"
  | "internal";
