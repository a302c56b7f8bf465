// Models of tokens, and what they remember from token to token.
import { attentionArguments } from "./attention.ts";
import { Cancelled } from "./errors.ts";
import { objectOf, unsupported } from "./given.ts";
import { Handle } from "./handle.ts";
import { Layer } from "./layer.ts";
import { shapedIds } from "./layers.ts";
import type { EncoderForwardOptions, Ids } from "./layers.ts";
import type { OutOption } from "./matrix.ts";
import { whole } from "./number.ts";
import type { Scale } from "./scale.ts";
import * as operators from "./signatures.ts";
import type { Tensor, TensorLike, TensorMemory } from "./tensor.ts";

/** What a model is made of, as far as its calls depend on it. */
export interface ModelConfig {
  readonly vocab: number;
  /** The largest number of positions. */
  readonly context: number;
  /** Logits of a position. */
  readonly n_out: number;
  readonly d_model: number;
  readonly n_heads: number;
  readonly d_head: number;
  readonly d_ff: number;
  readonly n_layers: number;
}

/** Lets the same weights run at another scale than their own. */
export interface ScaleOptions {
  /** The factor of the scores, or its name, such as `"none"`; default the model's, 1/√d_head unless it says otherwise. */
  readonly scale?: Scale;
  readonly softcap?: number;
}

/** When to stop, and whom to tell. */
export interface GenerateOptions extends ScaleOptions {
  /** At most so many tokens; default: as many as fit the context. */
  readonly steps?: number;
  /** A token after which nothing comes; itself not returned. */
  readonly stop?: number;
  /** Looked at after each token; aborting throws `Cancelled`. */
  readonly signal?: AbortSignal;
  /** Told of each token as it is made; returning false cancels. What it throws ends the call and is thrown on. */
  readonly onToken?: (token: number) => unknown;
}

/** Keys and values of the positions that a decoder-only model has seen. */
export class KeyValueCache extends Handle {
  readonly batch: number;
  /** The largest number of positions. */
  readonly capacity: number;

  /** @internal */
  constructor(memory: TensorMemory, handle: number, batch: number, capacity: number) {
    super(memory, "key_value_cache", handle);
    this.batch = batch;
    this.capacity = capacity;
  }

  /** Positions seen. */
  get length(): number {
    return this.memory.border.call(operators.past_length, { past: this.handle });
  }

  /** Forgets all positions. */
  clear(): void {
    this.memory.border.call(operators.clear_past, { past: this.handle });
  }
}

/** Embedding, positions, layers and a linear layer that gives each position its logits. Causal, it is decoder-only. */
export class LanguageModel extends Layer {
  readonly config: ModelConfig;

  /** @internal */
  constructor(...made: ConstructorParameters<typeof Layer>) {
    super(...made);
    const sizes = this.memory.border.call(operators.describe_model, { model: this.handle }).split("\n");
    const config: Record<string, number> = Object.fromEntries(
      sizes.map((line) => line.split(",")).map(([name = "", size]) => [name, Number(size)] as const),
    );
    this.config = config as unknown as ModelConfig;
  }

  /** Logits [batch, n, n_out] of ids [batch, n], or of one row of them. `lengths` tells how much is no padding. */
  forward(ids: Ids, options: EncoderForwardOptions = {}): Tensor {
    objectOf(this.kind, "options", options);
    return this.memory.scope(() => {
      const taken = this.memory.indices(this.kind, "ids", sequences(ids));
      const shape = [...taken.shape, this.config.n_out];
      return this.run({ ids: taken, attentions: [options], options, shape });
    });
  }

  /** From dL/dlogits, after `forward`: adds to the gradients of all parameters. */
  backward(dlogits: TensorLike): void {
    this.runBack(dlogits);
  }

  /** An empty past of `batch` sequences and at most `capacity` positions, by default the context. */
  make_cache(batch = 1, capacity = this.config.context): KeyValueCache {
    const { memory, kind } = this;
    whole(kind, "batch", batch);
    whole(kind, "capacity", capacity);
    const handle = memory.border.call(operators.make_past, { model: this.handle, batch, capacity });
    return new KeyValueCache(memory, handle, batch, capacity);
  }

  /**
   * Logits [batch, n_out] after the last of further tokens ids [batch, n], whose keys and values go into `past`: the
   * bits of `forward` for the whole sequence. Throws `ValueError` where the model is not causal or `past` is full;
   * then nothing is added.
   */
  decode(ids: Ids, past: KeyValueCache, options: ScaleOptions & OutOption = {}): Tensor {
    const { memory } = this;
    objectOf("decode", "options", options);
    if (!(past instanceof KeyValueCache)) throw unsupported("decode", "past", "a KeyValueCache", past);
    return memory.scope(() => {
      const taken = memory.indices("decode", "ids", sequences(ids));
      const given = attentionArguments(memory, "decode", scaleOf(options));
      const out = memory.result("decode", options.out, [taken.shape[0] ?? 1, this.config.n_out]);
      const handles = { model: this.handle, past: past.handle };
      memory.border.call(operators.decode, { ...handles, ids: taken, options: given, out });
      return out;
    });
  }

  /** After the prompt, the most likely token at each step, of equals the first. Throws `ValueError` for an empty prompt. */
  generate(prompt: readonly number[], options: GenerateOptions = {}): number[] {
    const { memory, config } = this;
    const { signal, onToken } = objectOf("generate", "options", options);
    if (onToken && typeof onToken !== "function")
      throw unsupported("generate", "onToken", "a function", onToken);
    const stop = options.stop === undefined ? undefined : whole("generate", "stop", options.stop, 0);
    const length = prompt?.length ?? 0;
    const room = config.context - length + 1; // the last token needs no place
    const steps = whole("generate", "steps", options.steps ?? Math.max(room, 0), 0);
    if (signal?.aborted) throw cancelled(signal);
    let thrown: { error: unknown } | undefined;
    const goOn = (token: number): boolean => {
      try {
        return memory.scopes.outside(() => onToken?.(token)) !== false && !signal?.aborted;
      } catch (error) {
        thrown = { error }; // kept from crossing C++, and thrown below
        return false;
      }
    };
    return memory.scope(() => {
      const ids = memory.indices("generate", "prompt", shapedIds(prompt));
      const given = attentionArguments(memory, "generate", scaleOf(options));
      const past = this.make_cache(1, Math.min(config.context, Math.max(1, length + steps)));
      const { border } = memory;
      const handles = { model: this.handle, past: past.handle };
      const reports = Boolean(signal || onToken);
      try {
        const tokens = border.reporting(goOn, () =>
          border.call(operators.generate, { ...handles, ids, steps, options: given, stop, reports }),
        );
        return tokens.split(",").slice(0, -1).map(Number);
      } catch (error) {
        if (thrown) throw thrown.error;
        throw error instanceof Cancelled ? cancelled(signal) : error;
      }
    });
  }

  /** -log p(token | those before) of every token but the first, and their mean. */
  nll(
    ids: readonly number[],
    options: ScaleOptions = {},
  ): { readonly mean: number; readonly losses: Float32Array<ArrayBuffer> } {
    const { memory } = this;
    objectOf("nll", "options", options);
    return memory.scope(() => {
      const taken = memory.indices("nll", "ids", shapedIds(ids));
      const given = attentionArguments(memory, "nll", scaleOf(options));
      const out = memory.empty("nll", [Math.max(0, ids.length - 1)]);
      const all = { model: this.handle, ids: taken, options: given, out };
      const mean = memory.border.call(operators.likelihood, all);
      return { mean, losses: out.data as Float32Array<ArrayBuffer> };
    });
  }
}

const scaleOf = ({ scale, softcap }: ScaleOptions): ScaleOptions => ({
  ...(scale !== undefined && { scale }),
  ...(softcap !== undefined && { softcap }),
});

const sequences = (ids: Ids) => {
  const { data, shape } = shapedIds(ids);
  return { data, shape: shape?.length === 1 ? [1, ...shape] : shape };
};

function cancelled(signal?: AbortSignal): Cancelled {
  const fields = { code: "cancelled", operator: "generate", argument: "", expected: "", got: "" } as const;
  return new Cancelled(fields, "generate: cancelled", signal?.aborted ? { cause: signal.reason } : undefined);
}
