// <sqrtdk-value of="attention_steps" path="weights[step=4] > cat > mat" format=".3">0.283</sqrtdk-value>: a number in a
// sentence that follows a figure. `of` names an element by its id or by its experiment; any element will do that has
// the properties `result` and `stale` and an event "result" whenever one of them changes. Until that element has a
// result of its own the printed number stays; while its result belongs to other settings, and where the result has no
// such number, there is a dash. It is plain text to assistive technology: the figure itself says what is new.
import type { RunResult } from "../../bindings/api/types.ts";
import { adoptProperties, mirror } from "./mirror.ts";
import { valueAt } from "./value_path.ts";
import { valueText } from "./value_text.ts";

export interface ResultSource extends EventTarget {
  readonly result?: RunResult | undefined;
  readonly stale?: boolean;
}

const attributes = ["of", "path", "format"] as const;

// In Node there is nothing to extend.
const Base = globalThis.HTMLElement ?? Object;

/**
 * A number in a sentence that follows a figure. What stands in it is shown until the figure has a result.
 *
 * @element sqrtdk-value
 * @attr {string} of - The figure, by its id or its experiment.
 * @attr {string} path - Where in the result the number stands, e.g. "softmax_max[d=512,scale=none]".
 * @attr {string} format - ".2": two decimals; ".1%": a percentage; "g2": two significant digits; ",": in groups of three.
 */
export class SqrtdkValue extends Base {
  static readonly observedAttributes = attributes;
  static {
    mirror(this, attributes);
  }
  /** The figure, by its id or its experiment. */
  declare of: string;
  /** Where in the result the number stands. */
  declare path: string;
  /** How it is written. */
  declare format: string;
  #source: ResultSource | undefined;

  connectedCallback(): void {
    adoptProperties(this, attributes);
    this.#find();
  }

  disconnectedCallback(): void {
    this.#source?.removeEventListener("result", this.#follow);
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#find();
  }

  /** In its own tree, or else in the document. */
  #find(): void {
    const of = CSS.escape(this.of);
    const root = this.getRootNode() as Document | ShadowRoot;
    const named = [root, document].flatMap((tree) => [
      ...tree.querySelectorAll<HTMLElement & ResultSource>(`[id="${of}"], [experiment="${of}"]`),
    ]);
    this.#source?.removeEventListener("result", this.#follow);
    this.#source = named.find(({ localName }) => localName.includes("-"));
    this.#source?.addEventListener("result", this.#follow);
    this.#follow();
  }

  readonly #follow = (): void => {
    const { result, stale = false } = this.#source ?? {};
    if (!stale && !result) return;
    const value = stale || !result ? undefined : valueAt(result, this.path);
    this.textContent = valueText(value, this.format);
  };
}
