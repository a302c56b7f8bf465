// Makes the elements known to the browser. In Node it does nothing.
import { setUp, type Setup } from "./setup.ts";
import { SqrtdkFigure } from "./sqrtdk_figure.ts";

/** Each by itself: a page may have some of them already. */
export function define(name: string, element: CustomElementConstructor): void {
  if ("customElements" in globalThis && !customElements.get(name)) customElements.define(name, element);
}

/** With the figures, which every page has; for others see `define`. */
export function register(setup: Setup): void {
  setUp(setup);
  define("sqrtdk-figure", SqrtdkFigure);
}
