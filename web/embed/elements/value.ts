// Importing this file defines <sqrtdk-value>, where the page has none. On a server it does nothing.
import { define } from "../../elements/register.ts";
import { SqrtdkValue as Element } from "../../elements/sqrtdk_value.ts";
import type { ElementClass, SqrtdkValue as SqrtdkValueElement } from "../types.ts";
export type * from "../types.ts";

define("sqrtdk-value", Element);
export type SqrtdkValue = SqrtdkValueElement;
export const SqrtdkValue: ElementClass<SqrtdkValueElement> = Element;
