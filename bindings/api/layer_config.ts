// What layers are made from: their fields, as C++ declares them, a seed and initial values.
import { choiceOf } from "./choice.ts";
import { initializationFields } from "./layer_schema.ts";
import type {
  EmbeddingFields,
  FeedForwardFields,
  Field,
  InitializationFields,
  LanguageModelFields,
  LinearFields,
  MultiHeadAttentionFields,
  NormFields,
  StackFields,
  TransformerFields,
  TransformerLayerFields,
} from "./layer_schema.ts";
import { checked } from "./known_names.ts";
import { finite, flag, whole } from "./number.ts";
import { scaleArgument } from "./scale.ts";
import type { Scales } from "./scale.ts";
import type { RawArgument } from "./signature.ts";

type InitScheme = NonNullable<InitializationFields["init"]>;

/** `pytorch`: as torch.nn's layers begin. Kaiming has the gain √2 of ReLU. `{ normal: std }`: N(0, std²). */
export type Init = Exclude<InitScheme, "normal"> | { readonly normal: number };

export interface LayerConfig {
  /** The seed of initial values and of dropout; unsigned 64-bit. Default 0. */
  readonly seed?: number | bigint | string;
  /** Initial values. Norms begin with 1 and 0; biases with 0, but for PyTorch's linear layers. */
  readonly init?: Init;
}

export interface LinearConfig extends LayerConfig, LinearFields {}
export interface EmbeddingConfig extends LayerConfig, EmbeddingFields {}
export interface NormConfig extends LayerConfig, Omit<NormFields, "kind"> {}
export interface FeedForwardConfig extends LayerConfig, FeedForwardFields {}
export interface MultiHeadAttentionConfig extends LayerConfig, MultiHeadAttentionFields {}
export interface TransformerLayerConfig extends LayerConfig, TransformerLayerFields {}
export interface StackConfig extends LayerConfig, StackFields {}
export interface TransformerConfig extends LayerConfig, TransformerFields {}
export interface LanguageModelConfig extends LayerConfig, LanguageModelFields {}

export type FeedForwardActivation = NonNullable<FeedForwardFields["activation"]>;

type Given = Readonly<Record<string, unknown>>;

type Values = readonly RawArgument[];

/**
 * What C++ reads for each field, in its order; none where its default is meant. `defaults` may compute with fields
 * that come before its own. Throws `ValueError`.
 */
export function valuesOf(
  op: string,
  list: readonly Field[],
  config: object,
  defaults = (): object => ({}),
): Values {
  return list.map((field) => {
    const given = (config as Given)[field.name];
    const value = given === undefined ? (defaults() as Given)[field.name] : given;
    return value === undefined && !field.required ? undefined : valueOf(op, field, value);
  });
}

function valueOf(op: string, { name, type, min, max, choices }: Field, value: unknown): RawArgument {
  switch (type) {
    case "whole":
      return whole(op, name, value as number, min, max);
    case "flag":
      return Number(flag(op, name, value as boolean));
    case "choice":
      return choiceOf(op, name, choices!, value as string);
    case "number":
      return finite(op, name, value as number, min);
    case "scale":
      return scaleArgument(op, value as Scales);
  }
}

/** How the parameters begin, as `valuesOf` gives it. */
export function initValues(op: string, init: Init = "pytorch"): Values {
  const values = (given: object): Values => valuesOf(op, initializationFields, given);
  if (typeof init === "object") {
    const { normal } = checked(op, "init", init, { normal: 1 });
    return values({ init: "normal", initStd: finite(op, "init", normal, 0) });
  }
  const kaiming = typeof init === "string" && init.startsWith("kaiming");
  return values({ init, initGain: kaiming ? Math.SQRT2 : undefined });
}
