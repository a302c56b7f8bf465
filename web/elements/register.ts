// Makes the elements known to the browser. In Node, and a second time, it does nothing.
import { setUp, type Setup } from "./setup.ts";
import { SqrtdkFigure } from "./sqrtdk_figure.ts";
import { SqrtdkHero } from "./sqrtdk_hero.ts";

export function register(setup: Setup): void {
  if (!("customElements" in globalThis) || customElements.get("sqrtdk-figure")) return;
  setUp(setup);
  customElements.define("sqrtdk-figure", SqrtdkFigure);
  customElements.define("sqrtdk-hero", SqrtdkHero);
}
