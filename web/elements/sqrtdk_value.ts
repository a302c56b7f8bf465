// <sqrtdk-value of="attention_steps" path="weights[step=4] > cat > mat" format=".3">0.283</sqrtdk-value>: a number in a
// sentence that follows a figure. `of` names an element by its id or by its experiment; any element will do that has
// the properties `result` and `stale` and an event "result" whenever one of them changes. Until that element has a
// result of its own the printed number stays; while its result belongs to other settings, and where the result has no
// such number, there is a dash. It is plain text to assistive technology: the figure itself says what is new.
import type { RunResult } from "../../bindings/api/types.ts";
import { valueAt } from "./value_path.ts";
import { valueText } from "./value_text.ts";

export interface ResultSource extends EventTarget {
  readonly result?: RunResult | undefined;
  readonly stale?: boolean;
}

export class SqrtdkValue extends HTMLElement {
  #source: ResultSource | undefined;

  connectedCallback(): void {
    const of = CSS.escape(this.getAttribute("of") ?? "");
    const named = document.querySelectorAll<HTMLElement & ResultSource>(`[id="${of}"], [experiment="${of}"]`);
    this.#source = [...named].find(({ localName }) => localName.includes("-"));
    this.#source?.addEventListener("result", this.#follow);
    this.#follow();
  }

  disconnectedCallback(): void {
    this.#source?.removeEventListener("result", this.#follow);
  }

  readonly #follow = (): void => {
    const { result, stale = false } = this.#source ?? {};
    if (!stale && !result) return;
    const value = stale || !result ? undefined : valueAt(result, this.getAttribute("path") ?? "");
    this.textContent = valueText(value, this.getAttribute("format") ?? "");
  };
}
