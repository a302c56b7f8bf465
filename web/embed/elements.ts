// Importing this file defines the elements, each that the page does not have. On a server it does nothing.
//
//   import { SqrtdkFigure, define } from "sqrtdk/elements";
//   class MyFigure extends SqrtdkFigure {
//     static styles = ":host { --sqrtdk-scaled: teal }";
//   }
//   customElements.define("my-figure", MyFigure); // or all of them, as they are: define("my");
import { SqrtdkCheck } from "./elements/check.ts";
import { SqrtdkFigure } from "./elements/figure.ts";
import { SqrtdkHero } from "./elements/hero.ts";
import { SqrtdkRace } from "./elements/race.ts";
import { SqrtdkValue } from "./elements/value.ts";
import { define as defineOne } from "../elements/register.ts";
import type { ElementClass } from "./types.ts";

export { SqrtdkCheck, SqrtdkFigure, SqrtdkHero, SqrtdkRace, SqrtdkValue };
export type * from "./types.ts";

const classes: Readonly<Record<string, ElementClass<HTMLElement>>> = {
  figure: SqrtdkFigure,
  hero: SqrtdkHero,
  race: SqrtdkRace,
  check: SqrtdkCheck,
  value: SqrtdkValue,
};

/** Defines <PREFIX-figure>, <PREFIX-hero> and so on, each where the page has none. */
export function define(prefix: string): void {
  for (const [name, element] of Object.entries(classes))
    defineOne(`${prefix}-${name}`, class extends element {});
}
