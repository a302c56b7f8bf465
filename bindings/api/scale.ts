// By what q·k is multiplied, as operators take it. C++ reads the names and knows each one's factor (scale.h).
import { ValueError } from "./errors.ts";
import { unsupported } from "./given.ts";
import { finite } from "./number.ts";
import type { RawList } from "./signature.ts";
import type { ScaleName } from "./signatures.ts";

/** A number, its text, or a name. */
export type Scale = number | ScaleName | (string & {});
/** One for all heads, or one for each; among these `"default"` is 1/√d. */
export type Scales = Scale | readonly Scale[];

const kMaxText = 128; // more than any name or number has

/** Throws `ValueError`; names are looked up in C++. */
export function scaleArgument(operator: string, scale: Scales): number | string | RawList {
  if (typeof scale === "string") return clipped(scale);
  if (!isList(scale)) return finite(operator, "scale", scale);
  const list = Array.from(scale, (each, i) => {
    if (typeof each !== "string") return finite(operator, `scale[${i}]`, each);
    if (each.length > 0) return clipped(each);
    throw unsupported(operator, `scale[${i}]`, "a number or a name", each);
  });
  if (list.length > 0) return { list };
  const fields = { code: "empty", operator, argument: "scale", expected: "one for each head" } as const;
  throw new ValueError({ ...fields, got: "none" });
}

/** What is too long is no scale after it was cut, either. */
export function clipped(text: string): string {
  return text.length <= kMaxText ? text : `${text.slice(0, kMaxText)}…`;
}

const isList = (scale: Scales): scale is readonly Scale[] => Array.isArray(scale);
