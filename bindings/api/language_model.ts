// Models of tokens, and what they remember from token to token.
import { attentionArguments } from "./attention.ts";
import { camelCase } from "./camel_case.ts";
import { choiceOf } from "./choice.ts";
import { ValueError } from "./errors.ts";
import { unsupported } from "./given.ts";
import { Handle } from "./handle.ts";
import { checked } from "./known_names.ts";
import type { Names } from "./known_names.ts";
import { Layer } from "./layer.ts";
import type { Made } from "./layer.ts";
import type { LanguageModelConfig } from "./layer_config.ts";
import { languageModelFields } from "./layer_schema.ts";
import { hidden, sequenceNames } from "./layers.ts";
import type { EncoderForwardOptions } from "./layers.ts";
import { makeLayer } from "./make_layer.ts";
import type { OutOption } from "./matrix.ts";
import { numeric, whole } from "./number.ts";
import { seed64 } from "./params.ts";
import type { Scales } from "./scale.ts";
import { sizeOf } from "./shape.ts";
import type { RawTensor } from "./signature.ts";
import * as operators from "./signatures.ts";
import type { WeightFormat } from "./signatures.ts";
import type { Ids, Tensor, TensorLike, TensorMemory } from "./tensor.ts";

/** What a model is made of, as far as its calls depend on it. */
export interface ModelConfig {
  readonly vocab: number;
  /** The largest number of positions. */
  readonly context: number;
  /** Logits of a position. */
  readonly nOut: number;
  readonly dModel: number;
  readonly nHeads: number;
  readonly dHead: number;
  readonly dFf: number;
  readonly nLayers: number;
}

/** Lets the same weights run at another scale than their own. */
export interface ScaleOptions {
  /** The factor of the scores, or its name, such as `"none"`, or one for each head; default the model's, 1/√d_head unless it says otherwise. */
  readonly scale?: Scales;
  readonly softcap?: number;
}

/** How each token is chosen, when to stop, and whom to tell. */
export interface GenerateOptions extends ScaleOptions {
  /**
   * Above 0: tokens are drawn from softmax(logits / temperature). Default 0: each is the most likely one, of equals the
   * first.
   */
  readonly temperature?: number;
  /** Only so many of the most likely tokens, of equals the first ones; with a temperature. Default: all. */
  readonly topK?: number;
  /** Of these, only the most likely whose probabilities together reach it; with a temperature. Default 1: all. */
  readonly topP?: number;
  /**
   * Unsigned 64-bit; beyond 2^53 a bigint or decimal text; with a temperature. A token depends on it, on the number of
   * tokens before it and on the logits alone. Default 0.
   */
  readonly seed?: number | bigint | string;
  /** At most so many tokens; default: as many as fit the context. */
  readonly steps?: number;
  /** A token after which nothing comes; itself not returned. */
  readonly stop?: number;
  /** Looked at after each token; aborting throws its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each token as it is made; returning false cancels with an `AbortError`. What it throws is thrown on. */
  readonly onToken?: ((token: number) => unknown) | undefined;
}

/** How a model keeps the weights of its products. */
export interface PackOptions {
  /**
   * `"f32"`, the default, changes no bit; `"bf16"` rounds each weight to 8 bits of precision; `"int8"` to a multiple of
   * its row's largest / 127. Activations and sums stay f32.
   */
  readonly weights?: WeightFormat;
}

const scaleNames: Names<ScaleOptions> = { scale: 1, softcap: 1 };
export const packNames: Names<PackOptions> = { weights: 1 };
const samplingNames = { temperature: 1, topK: 1, topP: 1, seed: 1 } as const;
const generateNames: Names<GenerateOptions> = {
  ...{ ...scaleNames, ...samplingNames },
  ...{ steps: 1, stop: 1, signal: 1, onToken: 1 },
};

/** A model that a file holds. @internal */
export class LoadedModel implements Made {
  readonly handle: number;
  readonly seed = 0n;

  constructor(handle: number) {
    this.handle = handle;
  }
}

// Defaults that other fields say.
const usual = (given: LanguageModelConfig) => ({ ...hidden(given), tied: given.nOut === undefined });

/** Keys and values of the positions that a decoder-only model has seen. */
export class KeyValueCache extends Handle {
  static override readonly name: string = "KeyValueCache"; // minification leaves it
  readonly #batch: number;
  readonly #capacity: number;

  /** @internal */
  constructor(memory: TensorMemory, handle: number, batch: number, capacity: number) {
    super(memory, "KeyValueCache", handle);
    this.#batch = batch;
    this.#capacity = capacity;
  }

  get batch(): number {
    return this.#batch;
  }

  /** The largest number of positions. */
  get capacity(): number {
    return this.#capacity;
  }

  /** Positions seen. */
  get length(): number {
    return this.memory.border.call(this.kind, operators.pastLength, { past: this.handle });
  }

  /** Forgets all positions. */
  clear(): void {
    this.memory.border.call(this.kind, operators.clearPast, { past: this.handle });
  }

  /** @internal */
  isIn(memory: TensorMemory): boolean {
    return this.memory === memory;
  }
}

/** Embedding, positions, layers and a linear layer that gives each position its logits. Causal, it is decoder-only. */
export class LanguageModel extends Layer {
  readonly #config: ModelConfig;

  /** @internal */
  constructor(memory: TensorMemory, given: LanguageModelConfig | LoadedModel) {
    const [name, fields] = ["LanguageModel", languageModelFields] as const;
    const made = given instanceof LoadedModel;
    super(memory, name, made ? given : makeLayer(memory, name, "language_model", fields, given, usual));
    const sizes = memory.border.call(name, operators.describeModel, { model: this.handle }).split("\n");
    const config = sizes
      .map((line) => line.split(","))
      .map(([key = "", size]) => [camelCase(key), Number(size)]);
    this.#config = Object.fromEntries(config) as ModelConfig;
  }

  get config(): ModelConfig {
    return this.#config;
  }

  /** Logits [batch, n, n_out] of ids [batch, n], or of one row of them. `lengths` tells how much is no padding. */
  forward(ids: Ids, options: EncoderForwardOptions = {}): Tensor {
    checked(this.kind, "options", options, sequenceNames);
    return this.memory.scope(() => {
      const taken = sequences(this.memory.indices(this.kind, "ids", ids));
      const shape = [...taken.shape, this.config.nOut];
      return this.run({ ids: taken, attentions: [options], options, shape });
    });
  }

  /** From dL/dlogits, after `forward`: adds to the gradients of all parameters. */
  backward(dlogits: TensorLike): void {
    this.runBack(dlogits);
  }

  /**
   * Keeps the weights a second time, as products read them: from then on, outside training, all passes compute with
   * these. In fewer bits a decoded token reads a half or a quarter as much memory, and the logits change a little.
   * The parameters themselves, and what `save` and `stateDict` give, stay as they are. Throws `OutOfMemoryError`.
   */
  pack(options: PackOptions = {}): void {
    const op = "pack";
    const { weights = "f32" } = checked(op, "options", options, packNames);
    const chosen = choiceOf(op, "weights", operators.weightFormatNames, weights);
    this.memory.border.call(op, operators.packModel, { model: this.handle, weights: chosen });
  }

  /** An empty past of `batch` sequences and at most `capacity` positions, by default the context. */
  makeCache(batch = 1, capacity = this.config.context): KeyValueCache {
    const { memory } = this;
    const op = "makeCache";
    whole(op, "batch", batch);
    whole(op, "capacity", capacity);
    const handle = memory.border.call(op, operators.makePast, { model: this.handle, batch, capacity });
    return new KeyValueCache(memory, handle, batch, capacity);
  }

  /**
   * Logits [batch, n_out] after the last of further tokens ids [batch, n], whose keys and values go into `past`: the
   * bits of `forward` for the whole sequence. Throws `ValueError` where the model is not causal or `past` is full;
   * then nothing is added.
   */
  decode(ids: Ids, past: KeyValueCache, options: ScaleOptions & OutOption = {}): Tensor {
    const { memory } = this;
    const op = "decode";
    checked(op, "options", options, { ...scaleNames, out: 1 });
    if (!(past instanceof KeyValueCache && past.isIn(memory)))
      throw unsupported(op, "past", "a KeyValueCache of this instance", past);
    return memory.scope(() => {
      const taken = sequences(memory.indices(op, "ids", ids));
      const given = attentionArguments(memory, op, scaleOf(options));
      const out = memory.result(op, options.out, [taken.shape[0] ?? 1, this.config.nOut]);
      const handles = { model: this.handle, past: past.handle };
      memory.border.call(op, operators.decode, { ...handles, ids: taken, options: given, out });
      return out;
    });
  }

  /** The tokens after the prompt: the most likely at each step, or drawn ones. Throws `ValueError` for an empty prompt. */
  generate(prompt: Ids, options: GenerateOptions = {}): number[] {
    const { scopes, border } = this.memory;
    const { signal, onToken } = checkedGenerate(options);
    const told = (token: number): unknown => scopes.outside(() => onToken?.(token));
    const reports = Boolean(signal || onToken);
    const { past, steps } = this.#roomFor(prompt, options);
    try {
      return border.reporting(told, signal, () => this.#continued(prompt, past, steps, options, reports));
    } finally {
      past.dispose();
    }
  }

  /** @internal As `generate`, token by token, so that others can be heard in between. */
  *generateSteps(prompt: Ids, options: GenerateOptions = {}): Generator<void, number[]> {
    const { onToken } = checkedGenerate(options);
    const { past, steps } = this.#roomFor(prompt, options);
    const tokens: number[] = [];
    try {
      for (let ids = prompt; tokens.length < steps || steps === 0; ids = tokens.slice(-1)) {
        const [token] = this.#continued(ids, past, Math.min(1, steps), options, false);
        if (token === undefined) break; // it came to `stop`
        tokens.push(token);
        onToken?.(token);
        yield;
      }
    } finally {
      past.dispose();
    }
    return tokens;
  }

  /** Throws `ValueError`. */
  #roomFor(prompt: Ids, options: GenerateOptions): { readonly past: KeyValueCache; readonly steps: number } {
    const { context } = this.config;
    const length = this.memory.scope(() => sizeOf(this.memory.indices("generate", "prompt", prompt).shape));
    const room = context - length + 1; // the last token needs no place
    const steps = whole("generate", "steps", options.steps ?? Math.max(room, 0), 0);
    return { past: this.makeCache(1, Math.min(context, Math.max(1, length + steps))), steps };
  }

  #continued(
    prompt: Ids,
    past: KeyValueCache,
    steps: number,
    options: GenerateOptions,
    reports: boolean,
  ): number[] {
    const { memory } = this;
    const op = "generate";
    const stop = options.stop === undefined ? undefined : whole(op, "stop", options.stop, 0);
    const sampling = samplingOf(op, options);
    return memory.scope(() => {
      const ids = memory.indices(op, "prompt", prompt);
      const given = attentionArguments(memory, op, scaleOf(options));
      const handles = { model: this.handle, past: past.handle };
      const all = { ...handles, ids, steps, options: given, ...sampling, stop, reports };
      const tokens = memory.border.call(op, operators.generate, all, { ids: "prompt" });
      return tokens.split(",").slice(0, -1).map(Number);
    });
  }

  /** -log p(token | those before) of every token but the first, and their mean. */
  nll(
    ids: Ids,
    options: ScaleOptions = {},
  ): { readonly mean: number; readonly losses: Float32Array<ArrayBuffer> } {
    const { memory } = this;
    const op = "nll";
    checked(op, "options", options, scaleNames);
    return memory.scope(() => {
      const taken = memory.indices(op, "ids", ids);
      const given = attentionArguments(memory, op, scaleOf(options));
      const out = memory.empty(op, [Math.max(0, sizeOf(taken.shape) - 1)]);
      const all = { model: this.handle, ids: taken, options: given, out };
      const mean = memory.border.call(op, operators.likelihood, all);
      return { mean, losses: out.toArray() };
    });
  }
}

function checkedGenerate(options: GenerateOptions): GenerateOptions {
  const { onToken } = checked("generate", "options", options, generateNames);
  if (onToken && typeof onToken !== "function")
    throw unsupported("generate", "onToken", "a function", onToken);
  return options;
}

/** What C++ reads of it. Throws `ValueError` where options say how to draw, but nothing is drawn. */
function samplingOf(op: string, options: GenerateOptions) {
  const { temperature, topK = 0, topP = 1, seed = 0 } = options;
  const without = (["topK", "topP", "seed"] as const).find((name) => options[name] !== undefined);
  if (temperature === undefined && without) {
    const fields = { code: "unsupported", operator: op, argument: "temperature" } as const;
    throw new ValueError({
      ...fields,
      expected: `a number, for tokens that ${without} concerns`,
      got: "none",
    });
  }
  return {
    temperature: numeric(op, "temperature", temperature ?? 0),
    topK: whole(op, "topK", topK, 0),
    topP: numeric(op, "topP", topP),
    seed: seed64(op, seed),
  };
}

const scaleOf = ({ scale, softcap }: ScaleOptions): ScaleOptions => ({
  ...(scale !== undefined && { scale }),
  ...(softcap !== undefined && { softcap }),
});

/** A row of tokens is one sequence. */
const sequences = (ids: RawTensor<"i32">): RawTensor<"i32"> =>
  ids.shape.length === 1 ? { ...ids, shape: [1, ...ids.shape] } : ids;
