// By what q·k is multiplied, as operators take it. C++ reads the names and knows each one's factor (scale.h).
import { finite } from "./number.ts";
import type { ScaleName } from "./signatures.ts";

/** A number, its text, or a name. */
export type Scale = number | ScaleName | (string & {});

const kMaxText = 128; // more than any name or number has

/** Throws `ValueError`; names are looked up in C++. */
export function scaleArgument(operator: string, scale: Scale): number | string {
  return typeof scale === "string" ? clipped(scale) : finite(operator, "scale", scale);
}

/** What is too long is no scale after it was cut, either. */
export function clipped(text: string): string {
  return text.length <= kMaxText ? text : `${text.slice(0, kMaxText)}…`;
}
