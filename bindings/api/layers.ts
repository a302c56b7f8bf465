// Layers as objects, in the names of torch.nn where it has them.
import { objectOf } from "./given.ts";
import { Layer } from "./layer.ts";
import type { ForwardOptions, LayerAttentionOptions } from "./layer.ts";
import type { Tensor, TensorLike } from "./tensor.ts";
import type { ShapedData } from "./types.ts";

/** Whole numbers with their shape; an array is one row of them. */
export type Ids = ShapedData | readonly number[];

export function shapedIds(ids: Ids): ShapedData {
  const given = ids as Ids | undefined | null; // what is no ids is refused where they are taken
  return typeof given === "object" && given && "shape" in given
    ? given
    : { data: ids as readonly number[], shape: [given?.length ?? 0] };
}

/** What self-attention and `forward` are told. */
export interface EncoderForwardOptions extends ForwardOptions, LayerAttentionOptions {}

/** What a decoder's two attentions are told. */
export interface DecoderForwardOptions extends ForwardOptions {
  /** For the self-attention; causal unless `causal: "none"`. */
  readonly self?: LayerAttentionOptions;
  /** For the attention to `memory`. */
  readonly cross?: LayerAttentionOptions;
}

/** What the attentions of the decoder, and of the encoder, are told. */
export interface TransformerForwardOptions extends DecoderForwardOptions {
  readonly encoder?: LayerAttentionOptions;
}

const rows = (x: TensorLike): readonly number[] => x.shape.slice(0, -1);

/** y = x wᵀ + b with `weight` [n_out, n_in] and `bias` [n_out]. */
export class Linear extends Layer {
  readonly #n_out: number;

  /** @internal */
  constructor(n_out: number, ...made: ConstructorParameters<typeof Layer>) {
    super(...made);
    this.#n_out = n_out;
  }

  /** [.., n_in] -> [.., n_out] */
  forward(x: TensorLike, options: ForwardOptions = {}): Tensor {
    objectOf(this.kind, "options", options);
    return this.memory.scope(() => {
      const inputs = [this.memory.take(this.kind, "x", x)];
      return this.run({ inputs, options, shape: [...rows(x), this.#n_out] });
    });
  }

  /** dL/dx from dL/dout, after `forward`; adds to the parameters' gradients. */
  backward(dout: TensorLike): Tensor {
    return this.runBack(dout)[0]!;
  }
}

/** Rows of `weight` [vocab, d_model]. */
export class Embedding extends Layer {
  readonly #d_model: number;

  /** @internal */
  constructor(d_model: number, ...made: ConstructorParameters<typeof Layer>) {
    super(...made);
    this.#d_model = d_model;
  }

  /** [..] -> [.., d_model]. Throws `ValueError` for an id that is none. */
  forward(ids: Ids, options: ForwardOptions = {}): Tensor {
    objectOf(this.kind, "options", options);
    return this.memory.scope(() => {
      const taken = this.memory.indices(this.kind, "ids", shapedIds(ids));
      return this.run({ ids: taken, options, shape: [...taken.shape, this.#d_model] });
    });
  }

  /** Adds to the table's gradient. */
  backward(dout: TensorLike): void {
    this.runBack(dout);
  }
}

/** A layer whose output has the shape of its input: a norm, a feed-forward network, an encoder layer or a stack of them. */
export class SequenceLayer extends Layer {
  /** x: [batch, n, d_model] (a norm or feed-forward network: [.., d_model]) -> the same shape. */
  forward(x: TensorLike, options: EncoderForwardOptions = {}): Tensor {
    objectOf(this.kind, "options", options);
    return this.memory.scope(() => {
      const inputs = [this.memory.take(this.kind, "x", x)];
      return this.run({ inputs, attentions: [options], options, shape: x.shape });
    });
  }

  /** dL/dx from dL/dout, after `forward`; adds to the parameters' gradients. */
  backward(dout: TensorLike): Tensor {
    return this.runBack(dout)[0]!;
  }
}

/** The output, and each head's weights. */
export interface MultiHeadAttentionResult {
  /** [batch, n_q, d_model] */
  readonly out: Tensor;
  /** [batch, n_heads, n_q, n_k], of each head. */
  readonly weights: Tensor;
}

/** Heads attend side by side in projections of their own. Vaswani et al., section 3.2.2. */
export class MultiHeadAttention extends Layer {
  /** query: [batch, n_q, d_model], key and value: [batch, n_k, d_model] -> [batch, n_q, d_model]. */
  forward(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options: EncoderForwardOptions & { readonly return_weights: true },
  ): MultiHeadAttentionResult;
  forward(query: TensorLike, key: TensorLike, value: TensorLike, options?: EncoderForwardOptions): Tensor;
  forward(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options: EncoderForwardOptions & { readonly return_weights?: boolean } = {},
  ): MultiHeadAttentionResult | Tensor {
    const { memory, kind } = this;
    objectOf(kind, "options", options);
    return memory.scope((): MultiHeadAttentionResult | Tensor => {
      const given = Object.entries({ query, key, value });
      const inputs = given.map(([name, input]) => memory.take(kind, name, input));
      const explain = options.return_weights || options.explain || false;
      const out = this.run({
        inputs,
        attentions: [options],
        options: { ...options, explain },
        shape: query.shape,
      });
      if (!options.return_weights) return out;
      const { data, shape } = this.cache("weights");
      return { out, weights: memory.from(kind, "weights", data, shape) };
    });
  }

  /** dL/dout -> the gradients of the three inputs; where they were one tensor, its gradient is their sum. */
  backward(dout: TensorLike): { readonly dquery: Tensor; readonly dkey: Tensor; readonly dvalue: Tensor } {
    const [dquery, dkey, dvalue] = this.runBack(dout) as [Tensor, Tensor, Tensor];
    return { dquery, dkey, dvalue };
  }
}

/** A decoder layer or a stack of them: masked self-attention, attention to the encoder's output, feed-forward. */
export class Decoder extends Layer {
  /** x: [batch, n, d_model], memory (the encoder's output): [batch, n_memory, d_model] -> the shape of x. */
  forward(x: TensorLike, memory: TensorLike, options: DecoderForwardOptions = {}): Tensor {
    checkOptions(this.kind, options);
    return this.memory.scope(() => {
      const inputs = [this.memory.take(this.kind, "x", x), this.memory.take(this.kind, "memory", memory)];
      const attentions = [causalSelf(options), options.cross ?? {}];
      return this.run({ inputs, attentions, options, shape: x.shape });
    });
  }

  /** dL/dout -> the gradients of both inputs. */
  backward(dout: TensorLike): { readonly dx: Tensor; readonly dmemory: Tensor } {
    const [dx, dmemory] = this.runBack(dout) as [Tensor, Tensor];
    return { dx, dmemory };
  }
}

/** torch.nn.Transformer: `encoder` and `decoder`, each with a final norm. */
export class Transformer extends Layer {
  /** source: [batch, n_source, d_model], target: [batch, n_target, d_model] -> the shape of target. */
  forward(source: TensorLike, target: TensorLike, options: TransformerForwardOptions = {}): Tensor {
    checkOptions(this.kind, options);
    return this.memory.scope(() => {
      const { memory, kind } = this;
      const inputs = [memory.take(kind, "source", source), memory.take(kind, "target", target)];
      const attentions = [options.encoder ?? {}, causalSelf(options), options.cross ?? {}];
      return this.run({ inputs, attentions, options, shape: target.shape });
    });
  }

  /** dL/dout -> the gradients of both inputs. */
  backward(dout: TensorLike): { readonly dsource: Tensor; readonly dtarget: Tensor } {
    const [dsource, dtarget] = this.runBack(dout) as [Tensor, Tensor];
    return { dsource, dtarget };
  }
}

function checkOptions(op: string, options: TransformerForwardOptions): void {
  const { self = {}, cross = {}, encoder = {} } = objectOf(op, "options", options);
  for (const [name, given] of Object.entries({ self, cross, encoder })) objectOf(op, name, given);
}

function causalSelf({ self }: DecoderForwardOptions): LayerAttentionOptions {
  return { causal: "top_left", ...self };
}
