// Importing this file defines <sqrtdk-figure>, where the page has none. On a server it does nothing.
import { define } from "../../elements/register.ts";
import { SqrtdkFigure as Element } from "../../elements/sqrtdk_figure.ts";
import { setUpElements } from "../elements_setup.ts";
import type { ElementClass, SqrtdkFigure as SqrtdkFigureElement } from "../types.ts";
export type * from "../types.ts";

setUpElements();
define("sqrtdk-figure", Element);
export type SqrtdkFigure = SqrtdkFigureElement;
export const SqrtdkFigure: ElementClass<SqrtdkFigureElement> = Element;
