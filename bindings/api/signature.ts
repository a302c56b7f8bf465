// What an operator is given and answers, as types and at run time, both from its signature: C++'s text
// "append_rows(past: f32, x: f32, present: f32): void" in signatures.ts.
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

/** One of these names, as C++ knows it. */
export type Choice<Names extends string> = number & { readonly choice: Names };

/** What C++ reads; a list stands for each of its members. */
export type RawArgument =
  | RawTensor<"f32" | "i32" | "u8">
  | RawBytes
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
  /** A number or a name. */
  readonly scale: number | string;
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
  readonly name: string;
  readonly order: readonly string[];
  readonly answer: keyof Answers;
}

const parsed = new Map<string, Parsed>();

export function parse(signature: string): Parsed {
  const known = parsed.get(signature);
  if (known) return known;
  const made = {
    name: signature.split("(", 1)[0]!,
    order: signature.match(/\w+(?=\??: )/g) ?? [],
    answer: signature.slice(signature.lastIndexOf(" ") + 1) as keyof Answers,
  };
  parsed.set(signature, made);
  return made;
}

/** What is given by name, in C++'s order. */
export function inOrder<Signature extends string>(
  signature: Signature,
  given: Given<Signature>,
): readonly RawArgument[] {
  return parse(signature).order.map((name) => (given as Readonly<Record<string, RawArgument>>)[name]);
}
