// What an operator is given and answers, as types and at run time, both from its signature: C++'s text
// "append_rows(past: f32, x: f32, present: f32): void" in signatures.ts, with the arguments as TypeScript spells them.
import type { Choices } from "./signatures.ts";

/** Address in the module's memory. */
export type Pointer = number;

export interface RawTensor<Element extends "f32" | "i32" | "u8" = "f32"> {
  readonly pointer: Pointer;
  readonly shape: readonly number[];
  readonly element?: Element;
}

/** Text or a file in the module's memory. */
export interface RawBytes {
  readonly pointer: Pointer;
  readonly size: number;
}

/** So many of one argument. */
export interface RawList {
  readonly list: readonly (number | string)[];
}

/** One of these names, as C++ knows it. */
export type Choice<Names extends string> = number & { readonly choice: Names };

/** What C++ reads; a list stands for each of its members. */
export type RawArgument =
  | RawTensor<"f32" | "i32" | "u8">
  | RawBytes
  | RawList
  | number
  | bigint
  | boolean
  | string
  | undefined
  | readonly RawArgument[];

/** Several arguments that belong together, in their order. */
export type Group<Name extends string> = readonly RawArgument[] & { readonly group: Name };

interface Kinds {
  readonly f32: RawTensor;
  readonly i32: RawTensor<"i32">;
  readonly u8: RawTensor<"u8">;
  readonly number: number;
  readonly flag: boolean;
  readonly bits64: bigint;
  readonly text: string;
  readonly bytes: RawBytes;
  readonly handle: number;
  /** A number or a name, or a list of these. */
  readonly scale: number | string | RawList;
  readonly attention: Group<"attention">;
  /** As many as the operator reads. */
  readonly rest: readonly RawArgument[];
}

interface Answers {
  readonly void: undefined;
  readonly number: number;
  readonly handle: number;
  readonly text: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly attention: Group<"attention">;
}

type OfKind<Kind extends string> = Kind extends keyof Kinds
  ? Kinds[Kind]
  : Kind extends keyof Choices
    ? Choice<Choices[Kind]>
    : never;

type Argument<Text extends string> = Text extends `${infer Name}?: ${infer Kind}`
  ? { readonly name: Name; readonly value: OfKind<Kind> | undefined }
  : Text extends `${infer Name}: ${infer Kind}`
    ? { readonly name: Name; readonly value: OfKind<Kind> }
    : never;

type Arguments<List extends string> = List extends `${infer First}, ${infer Rest}`
  ? Argument<First> | Arguments<Rest>
  : Argument<List>;

/** The arguments by name: all of them, `undefined` where one may be left out and is. */
export type Given<Signature extends string> = Signature extends `${string}(${infer List}): ${string}`
  ? { readonly [Each in Arguments<List> as Each["name"]]: Each["value"] }
  : never;

export type AnswerOf<Signature extends string> =
  Signature extends `${string}): ${infer Kind extends keyof Answers}` ? Answers[Kind] : never;

export interface Parsed {
  /** C++'s. */
  readonly name: string;
  readonly order: readonly { readonly name: string; readonly kind: string; readonly optional: boolean }[];
  readonly answer: keyof Answers;
  /** It is given a file, a dictionary or a request: whose names are not of the API, and are told as they are. */
  readonly ownNames: boolean;
}

const parsed = new Map<string, Parsed>();

export function parse(signature: string): Parsed {
  const known = parsed.get(signature);
  if (known) return known;
  const made = {
    name: signature.split("(", 1)[0]!,
    order: Array.from(signature.matchAll(/(\w+)(\??): (\w+)/g), ([, name = "", mark, kind = ""]) => ({
      name,
      kind,
      optional: mark === "?",
    })),
    answer: signature.slice(signature.lastIndexOf(" ") + 1) as keyof Answers,
    ownNames: /\b(?!fields\b)\w+: bytes/.test(signature),
  };
  parsed.set(signature, made);
  return made;
}

/** What is given by name, in C++'s order. */
export function inOrder<Signature extends string>(
  signature: Signature,
  given: Given<Signature>,
): readonly RawArgument[] {
  return parse(signature).order.map(({ name }) => (given as Readonly<Record<string, RawArgument>>)[name]);
}
