// Importing this file defines <sqrtdk-hero>, where the page has none. On a server it does nothing.
import { define } from "../../elements/register.ts";
import { SqrtdkHero as Element } from "../../elements/sqrtdk_hero.ts";
import { setUpElements } from "../elements_setup.ts";
import { addStyle } from "../shadow.ts";
import hero from "../../styles/hero.css?text";
import type { ElementClass, SqrtdkHero as SqrtdkHeroElement } from "../types.ts";
export type * from "../types.ts";

setUpElements();
addStyle(hero);
define("sqrtdk-hero", Element);
export type SqrtdkHero = SqrtdkHeroElement;
export const SqrtdkHero: ElementClass<SqrtdkHeroElement> = Element;
