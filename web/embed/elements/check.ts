// Importing this file defines <sqrtdk-check>, where the page has none. On a server it does nothing.
import { define } from "../../elements/register.ts";
import { SqrtdkCheck as Element } from "../../check/sqrtdk_check.ts";
import { setUpElements } from "../elements_setup.ts";
import type { ElementClass, SqrtdkCheck as SqrtdkCheckElement } from "../types.ts";
export type * from "../types.ts";

setUpElements();
define("sqrtdk-check", Element);
export type SqrtdkCheck = SqrtdkCheckElement;
export const SqrtdkCheck: ElementClass<SqrtdkCheckElement> = Element;
