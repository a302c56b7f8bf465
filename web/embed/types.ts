// What the elements are to a page's script: HTML elements with these properties and events, also in JSX.
import type { RunResult } from "../../bindings/api/types.ts";
import type { GivenParams } from "../elements/given_params.ts";

export type { RunResult } from "../../bindings/api/types.ts";
export type { GivenParams } from "../elements/given_params.ts";

/** A class of ours: extend it, or define it under a name of your own. */
export interface ElementClass<E extends HTMLElement> {
  new (): E;
  readonly prototype: E;
  /** CSS of your own for the element's shadow root: `:host { --sqrtdk-scaled: teal }`. */
  styles?: string;
}

/** What the event "change" says: the settings, and their result once there is one. */
export interface SqrtdkChange {
  readonly params: Readonly<Record<string, string>>;
  readonly result?: RunResult | undefined;
}

interface WithResult extends HTMLElement {
  /** What is shown, once the element lives; the event "result" tells when it, or `stale`, has changed. */
  readonly result: RunResult | undefined;
  /** What is shown belongs to other settings. */
  readonly stale: boolean;
  /** The present settings, as texts; those that are given, and the defaults for all others. */
  get params(): Readonly<Record<string, string>>;
  set params(given: GivenParams | undefined);
}

interface Look extends WithResult {
  /** "none": without the question above it. */
  heading: string;
  /** "all", "few" or "none" of the settings. */
  controls: string;
  /** The names of the charts that are drawn, separated by spaces; "": all. */
  charts: string;
  /** Whether the printed lines stand below the charts. */
  lines: boolean;
  /** Whether what each chart shows stands below it in words. */
  caption: boolean;
}

export interface SqrtdkFigure extends Look {
  /** The id of the experiment. */
  experiment: string;
}

export interface SqrtdkHero extends WithResult {
  /** The dimension with which it starts. */
  d: string;
  /** The seed of the draw with which it starts. */
  seed: string;
}

export interface SqrtdkRace extends Look {
  /** Whether it is the stage alone. */
  stage: boolean;
}

export interface SqrtdkCheck extends HTMLElement {
  /** The address of the golden hashes. */
  goldens: string;
}

export interface SqrtdkValue extends HTMLElement {
  /** The figure, by its id or its experiment. */
  of: string;
  /** Where in its result the number stands. */
  path: string;
  /** How it is written. */
  format: string;
}

interface JsxElement {
  readonly children?: unknown;
  readonly class?: string;
  readonly className?: string;
  readonly id?: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever the framework makes of them
  readonly key?: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly ref?: any;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly style?: any;
  readonly lang?: string;
  readonly slot?: string;
  readonly onchange?: (event: CustomEvent<SqrtdkChange>) => void;
  readonly onresult?: (event: Event) => void;
}

interface JsxLook extends JsxElement {
  readonly heading?: "none" | "question";
  readonly controls?: "none" | "few" | "all";
  readonly charts?: string;
  readonly lines?: boolean | "";
  readonly caption?: boolean | "";
  readonly params?: GivenParams;
  /** Every parameter of the experiment. */
  readonly [parameter: string]: unknown;
}

/** For `JSX.IntrinsicElements`. */
export interface SqrtdkJsx {
  "sqrtdk-figure": JsxLook & { readonly experiment: string };
  "sqrtdk-hero": JsxElement & { readonly d?: number | string; readonly seed?: number | string };
  "sqrtdk-race": JsxLook & { readonly stage?: boolean | ""; readonly result?: string };
  "sqrtdk-check": JsxElement & { readonly goldens?: string };
  "sqrtdk-value": JsxElement & { readonly of: string; readonly path: string; readonly format?: string };
}

declare global {
  interface HTMLElementTagNameMap {
    "sqrtdk-figure": SqrtdkFigure;
    "sqrtdk-hero": SqrtdkHero;
    "sqrtdk-race": SqrtdkRace;
    "sqrtdk-check": SqrtdkCheck;
    "sqrtdk-value": SqrtdkValue;
  }
}
