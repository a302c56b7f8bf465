// Layers as classes, in the names of torch.nn. Each is made in the memory of an instance, which binds it (nn.ts).
import { checked } from "./known_names.ts";
import type { Names } from "./known_names.ts";
import { Layer, attentionNames, forwardNames } from "./layer.ts";
import type { ForwardOptions, LayerAttentionOptions, Made } from "./layer.ts";
import type * as config from "./layer_config.ts";
import * as schema from "./layer_schema.ts";
import { makeLayer } from "./make_layer.ts";
import { taken } from "./named.ts";
import type { Ids, Tensor, TensorLike, TensorMemory } from "./tensor.ts";

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

export const sequenceNames: Names<EncoderForwardOptions> = { ...forwardNames, ...attentionNames };
const decoderNames: Names<DecoderForwardOptions> = { ...forwardNames, self: 1, cross: 1 };
const transformerNames: Names<TransformerForwardOptions> = { ...decoderNames, encoder: 1 };

// Defaults that other fields say.
export const hidden = ({ dModel }: { readonly dModel: number }) => ({ dFf: 4 * dModel });
const stack = (given: config.StackConfig) => ({ ...hidden(given), finalNorm: given.normFirst });

/** y = x wᵀ + b with `weight` [n_out, n_in] and `bias` [n_out]. */
export class Linear extends Layer {
  readonly #nOut: number;

  /** @internal */
  constructor(memory: TensorMemory, given: config.LinearConfig) {
    super(memory, "Linear", makeLayer(memory, "Linear", "linear", schema.linearFields, given));
    this.#nOut = given.nOut;
  }

  /** [.., n_in] -> [.., n_out] */
  forward(x: TensorLike, options: ForwardOptions = {}): Tensor {
    checked(this.kind, "options", options, forwardNames);
    return this.memory.scope(() => {
      const input = this.memory.take(this.kind, "x", x);
      return this.run({ inputs: [input], options, shape: [...input.shape.slice(0, -1), this.#nOut] });
    });
  }

  /** dL/dx from dL/dout, after `forward`; adds to the parameters' gradients. */
  backward(dout: TensorLike): Tensor {
    return this.runBack(dout)[0]!;
  }
}

/** Rows of `weight` [vocab, d_model]. (`ops.embedding` looks up in a table of one's own.) */
export class Embedding extends Layer {
  readonly #dModel: number;

  /** @internal */
  constructor(memory: TensorMemory, given: config.EmbeddingConfig) {
    super(
      memory,
      "Embedding",
      makeLayer(memory, "Embedding", "token_embedding", schema.embeddingFields, given),
    );
    this.#dModel = given.dModel;
  }

  /** [..] -> [.., d_model]. Throws `ValueError` for an id that is none. */
  forward(ids: Ids, options: ForwardOptions = {}): Tensor {
    checked(this.kind, "options", options, forwardNames);
    return this.memory.scope(() => {
      const taken = this.memory.indices(this.kind, "ids", ids);
      return this.run({ ids: taken, options, shape: [...taken.shape, this.#dModel] });
    });
  }

  /** Adds to the table's gradient. */
  backward(dout: TensorLike): void {
    this.runBack(dout);
  }
}

/** A layer whose output has the shape of its input. */
export abstract class SequenceLayer extends Layer {
  /** x: [batch, n, d_model] (a norm or feed-forward network: [.., d_model]) -> the same shape. */
  forward(x: TensorLike, options: EncoderForwardOptions = {}): Tensor {
    checked(this.kind, "options", options, sequenceNames);
    return this.memory.scope(() => {
      const input = this.memory.take(this.kind, "x", x);
      return this.run({ inputs: [input], attentions: [options], options, shape: input.shape });
    });
  }

  /** dL/dx from dL/dout, after `forward`; adds to the parameters' gradients. */
  backward(dout: TensorLike): Tensor {
    return this.runBack(dout)[0]!;
  }
}

/** (x - mean) / sqrt(variance + epsilon) · `weight` + `bias` over the last dimension. */
export class LayerNorm extends SequenceLayer {
  /** @internal */
  constructor(memory: TensorMemory, given: config.NormConfig) {
    super(memory, "LayerNorm", normOf(memory, "LayerNorm", given, "layer"));
  }
}

/** x / sqrt(mean(x²) + epsilon) · `weight` over the last dimension. */
export class RMSNorm extends SequenceLayer {
  /** @internal */
  constructor(memory: TensorMemory, given: config.NormConfig) {
    super(memory, "RMSNorm", normOf(memory, "RMSNorm", given, "rms"));
  }
}

const normNames: Names<config.NormConfig> = { dModel: 1, epsilon: 1, seed: 1, init: 1 };

function normOf(memory: TensorMemory, name: string, given: config.NormConfig, kind: "layer" | "rms"): Made {
  return makeLayer(memory, name, "norm", schema.normFields, {
    ...checked(name, "config", given, normNames),
    kind,
  });
}

/** linear1, activation, linear2. Vaswani et al., section 3.3. */
export class FeedForward extends SequenceLayer {
  /** @internal */
  constructor(memory: TensorMemory, given: config.FeedForwardConfig) {
    const name = "FeedForward";
    super(memory, name, makeLayer(memory, name, "feed_forward", schema.feedForwardFields, given, hidden));
  }
}

/** torch.nn.TransformerEncoderLayer with batch_first: self-attention and feed-forward. */
export class EncoderLayer extends SequenceLayer {
  /** @internal */
  constructor(memory: TensorMemory, given: config.TransformerLayerConfig) {
    const [name, fields] = ["EncoderLayer", schema.transformerLayerFields] as const;
    super(memory, name, makeLayer(memory, name, "encoder_layer", fields, given, hidden));
  }
}

/** torch.nn.TransformerEncoder: `nLayers` encoder layers. */
export class TransformerEncoder extends SequenceLayer {
  /** @internal */
  constructor(memory: TensorMemory, given: config.StackConfig) {
    const name = "TransformerEncoder";
    super(memory, name, makeLayer(memory, name, "transformer_encoder", schema.stackFields, given, stack));
  }
}

/** The output, and each head's weights. */
export interface MultiHeadAttentionResult {
  /** [batch, n_q, d_model] */
  readonly out: Tensor;
  /** [batch, n_heads, n_q, n_k], of each head. */
  readonly weights: Tensor;
}

/** What the heads are told. */
export interface MultiHeadAttentionOptions extends EncoderForwardOptions {
  /** Default false. */
  readonly returnWeights?: boolean;
}

const multiHeadNames: Names<MultiHeadAttentionOptions> = { ...sequenceNames, returnWeights: 1 };

/** torch.nn.MultiheadAttention with batch_first. Vaswani et al., section 3.2.2. */
export class MultiHeadAttention extends Layer {
  /** @internal */
  constructor(memory: TensorMemory, given: config.MultiHeadAttentionConfig) {
    const [name, fields] = ["MultiHeadAttention", schema.multiHeadAttentionFields] as const;
    super(memory, name, makeLayer(memory, name, "multi_head_attention", fields, given));
  }

  /** query: [batch, n_q, d_model], key and value: [batch, n_k, d_model] -> [batch, n_q, d_model]. */
  forward(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options: MultiHeadAttentionOptions & { readonly returnWeights: true },
  ): MultiHeadAttentionResult;
  forward(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options?: MultiHeadAttentionOptions & { readonly returnWeights?: false },
  ): Tensor;
  forward(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options: MultiHeadAttentionOptions,
  ): MultiHeadAttentionResult | Tensor;
  forward(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options: MultiHeadAttentionOptions = {},
  ): MultiHeadAttentionResult | Tensor {
    const { memory, kind } = this;
    checked(kind, "options", options, multiHeadNames);
    return memory.scope((): MultiHeadAttentionResult | Tensor => {
      const given = taken(memory, kind, { query, key, value });
      const { shape } = given.query;
      const inputs = [given.query, given.key, given.value];
      const explain = options.returnWeights || options.explain || false;
      const out = this.run({ inputs, attentions: [options], options: { ...options, explain }, shape });
      if (!options.returnWeights) return out;
      const weights = this.intermediate("weights");
      return { out, weights: memory.from(kind, "weights", weights.data, weights.shape) };
    });
  }

  /** dL/dout -> the gradients of the three inputs; where they were one tensor, its gradient is their sum. */
  backward(dout: TensorLike): { readonly dquery: Tensor; readonly dkey: Tensor; readonly dvalue: Tensor } {
    const [dquery, dkey, dvalue] = this.runBack(dout) as [Tensor, Tensor, Tensor];
    return { dquery, dkey, dvalue };
  }
}

/** Masked self-attention, attention to the encoder's output, feed-forward. */
export abstract class Decoder extends Layer {
  /** x: [batch, n, d_model], memory (the encoder's output): [batch, n_memory, d_model] -> the shape of x. */
  forward(x: TensorLike, memory: TensorLike, options: DecoderForwardOptions = {}): Tensor {
    checkOptions(this.kind, options, decoderNames);
    return this.memory.scope(() => {
      const given = taken(this.memory, this.kind, { x, memory });
      const attentions = [causalSelf(options), options.cross ?? {}];
      return this.run({ inputs: [given.x, given.memory], attentions, options, shape: given.x.shape });
    });
  }

  /** dL/dout -> the gradients of both inputs. */
  backward(dout: TensorLike): { readonly dx: Tensor; readonly dmemory: Tensor } {
    const [dx, dmemory] = this.runBack(dout) as [Tensor, Tensor];
    return { dx, dmemory };
  }
}

/** torch.nn.TransformerDecoderLayer with batch_first: causal self-attention, attention to the encoder, feed-forward. */
export class DecoderLayer extends Decoder {
  /** @internal */
  constructor(memory: TensorMemory, given: config.TransformerLayerConfig) {
    const [name, fields] = ["DecoderLayer", schema.transformerLayerFields] as const;
    super(memory, name, makeLayer(memory, name, "decoder_layer", fields, given, hidden));
  }
}

/** torch.nn.TransformerDecoder: `nLayers` decoder layers. */
export class TransformerDecoder extends Decoder {
  /** @internal */
  constructor(memory: TensorMemory, given: config.StackConfig) {
    const name = "TransformerDecoder";
    super(memory, name, makeLayer(memory, name, "transformer_decoder", schema.stackFields, given, stack));
  }
}

/** torch.nn.Transformer with batch_first: `encoder` and `decoder`, which attends to it, each with a final norm. */
export class Transformer extends Layer {
  /** @internal */
  constructor(memory: TensorMemory, given: config.TransformerConfig) {
    const name = "Transformer";
    super(memory, name, makeLayer(memory, name, "transformer", schema.transformerFields, given, hidden));
  }

  /** source: [batch, n_source, d_model], target: [batch, n_target, d_model] -> the shape of target. */
  forward(source: TensorLike, target: TensorLike, options: TransformerForwardOptions = {}): Tensor {
    checkOptions(this.kind, options, transformerNames);
    return this.memory.scope(() => {
      const given = taken(this.memory, this.kind, { source, target });
      const attentions = [options.encoder ?? {}, causalSelf(options), options.cross ?? {}];
      const inputs = [given.source, given.target];
      return this.run({ inputs, attentions, options, shape: given.target.shape });
    });
  }

  /** dL/dout -> the gradients of both inputs. */
  backward(dout: TensorLike): { readonly dsource: Tensor; readonly dtarget: Tensor } {
    const [dsource, dtarget] = this.runBack(dout) as [Tensor, Tensor];
    return { dsource, dtarget };
  }
}

function checkOptions(
  op: string,
  options: TransformerForwardOptions,
  names: Readonly<Record<string, unknown>>,
): void {
  const { self = {}, cross = {}, encoder = {} } = checked(op, "options", options, names);
  for (const [name, given] of Object.entries({ self, cross, encoder }))
    checked(op, name, given, attentionNames);
}

function causalSelf({ self }: DecoderForwardOptions): LayerAttentionOptions {
  return { causal: "top_left", ...self };
}
