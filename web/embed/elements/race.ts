// Importing this file defines <sqrtdk-race>, where the page has none. On a server it does nothing.
import { define } from "../../elements/register.ts";
import { SqrtdkRace as Element } from "../../race/sqrtdk_race.ts";
import { setUpElements } from "../elements_setup.ts";
import type { ElementClass, SqrtdkRace as SqrtdkRaceElement } from "../types.ts";
export type * from "../types.ts";

setUpElements();
define("sqrtdk-race", Element);
export type SqrtdkRace = SqrtdkRaceElement;
export const SqrtdkRace: ElementClass<SqrtdkRaceElement> = Element;
