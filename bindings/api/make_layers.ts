// Layers and models from their configs.
import { objectOf } from "./given.ts";
import type { Layer } from "./layer.ts";
import { initValues, valuesOf } from "./layer_config.ts";
import type * as config from "./layer_config.ts";
import * as schema from "./layer_schema.ts";
import { Decoder, Embedding, Linear, MultiHeadAttention, SequenceLayer, Transformer } from "./layers.ts";
import { LanguageModel } from "./model.ts";
import { finite } from "./number.ts";
import { seed64 } from "./params.ts";
import * as operators from "./signatures.ts";
import type { Tensor, TensorMemory } from "./tensor.ts";

/** All throw `ValueError` for an invalid configuration, and `OutOfMemory`. `dispose` what they make. */
export interface Layers {
  /** y = x wᵀ + b. */
  linear(config: config.LinearConfig): Linear;
  /** Rows of a table of tokens. (`embedding` is the operator.) */
  token_embedding(config: config.EmbeddingConfig): Embedding;
  /** Layer norm or RMS norm over the last dimension, with parameters. (`layer_norm` and `rms_norm` are the operators.) */
  norm(config: config.NormConfig): SequenceLayer;
  /** linear1, activation, linear2. Vaswani et al., section 3.3. */
  feed_forward(config: config.FeedForwardConfig): SequenceLayer;
  /** torch.nn.MultiheadAttention with batch_first. Vaswani et al., section 3.2.2. */
  multi_head_attention(config: config.MultiHeadAttentionConfig): MultiHeadAttention;
  /** torch.nn.TransformerEncoderLayer with batch_first: self-attention and feed-forward. */
  encoder_layer(config: config.TransformerLayerConfig): SequenceLayer;
  /** torch.nn.TransformerDecoderLayer with batch_first: causal self-attention, attention to the encoder, feed-forward. */
  decoder_layer(config: config.TransformerLayerConfig): Decoder;
  /** torch.nn.TransformerEncoder: `n_layers` encoder layers. */
  transformer_encoder(config: config.StackConfig): SequenceLayer;
  /** torch.nn.TransformerDecoder: `n_layers` decoder layers. */
  transformer_decoder(config: config.StackConfig): Decoder;
  /** torch.nn.Transformer with batch_first: an encoder, and a decoder that attends to it. */
  transformer(config: config.TransformerConfig): Transformer;
  /** Decoder-only (GPT, Llama), or encoder-only with `causal: false`. */
  language_model(config: config.LanguageModelConfig): LanguageModel;

  /** Sinusoidal positions [n_positions, d_model]. Vaswani et al., section 3.5. */
  positional_encoding(n_positions: number, d_model: number, options?: { readonly base?: number }): Tensor;
}

// Defaults that other fields say.
const hidden = ({ d_model }: config.LayerConfig & { readonly d_model: number }) => ({ d_ff: 4 * d_model });
const stack = (config: config.StackConfig) => ({ ...hidden(config), final_norm: config.norm_first });
const model = (config: config.LanguageModelConfig) => ({
  ...hidden(config),
  tied: config.n_out === undefined,
});

export function makeLayers(memory: TensorMemory): Layers {
  const { border } = memory;

  /** A function from a config to a layer whose class is made by `wrap`. */
  function maker<C extends config.LayerConfig, L extends Layer>(
    kind: (typeof schema.layerKinds)[number],
    fields: readonly schema.Field[],
    wrap: (config: C, ...made: ConstructorParameters<typeof Layer>) => L,
    defaults: (config: C) => object = () => ({}),
  ): (config: C) => L {
    return (config) => {
      const { seed = 0, init } = objectOf(kind, "config", config);
      const bits = seed64(kind, seed);
      const initial = initValues(kind, init);
      const given = [schema.layerKinds.indexOf(kind), ...valuesOf(kind, fields, config, defaults(config))];
      const handle = border.call(operators.make_layer, { fields: given });
      return memory.scope(() => {
        const layer = wrap(config, memory, kind, handle, seed);
        border.call(operators.initialize_layer, { layer: layer.handle, seed: bits, fields: initial });
        return layer;
      });
    };
  }

  type Made = ConstructorParameters<typeof Layer>;
  const sequence = (_: unknown, ...made: Made): SequenceLayer => new SequenceLayer(...made);
  const decoder = (_: unknown, ...made: Made): Decoder => new Decoder(...made);
  return {
    linear: maker("linear", schema.linearFields, ({ n_out }, ...made) => new Linear(n_out, ...made)),
    token_embedding: maker(
      "token_embedding",
      schema.embeddingFields,
      ({ d_model }, ...made) => new Embedding(d_model, ...made),
    ),
    norm: maker("norm", schema.normFields, sequence),
    feed_forward: maker("feed_forward", schema.feedForwardFields, sequence, hidden),
    multi_head_attention: maker(
      "multi_head_attention",
      schema.multiHeadAttentionFields,
      (_, ...made) => new MultiHeadAttention(...made),
    ),
    encoder_layer: maker("encoder_layer", schema.transformerLayerFields, sequence, hidden),
    decoder_layer: maker("decoder_layer", schema.transformerLayerFields, decoder, hidden),
    transformer_encoder: maker("transformer_encoder", schema.stackFields, sequence, stack),
    transformer_decoder: maker("transformer_decoder", schema.stackFields, decoder, stack),
    transformer: maker(
      "transformer",
      schema.transformerFields,
      (_, ...made) => new Transformer(...made),
      hidden,
    ),
    language_model: maker(
      "language_model",
      schema.languageModelFields,
      (_, ...made) => new LanguageModel(...made),
      model,
    ),
    positional_encoding: (n_positions, d_model, options = {}) =>
      memory.scope(() => {
        const { base = 10000 } = objectOf("positional_encoding", "options", options);
        const out = memory.empty("positional_encoding", [n_positions, d_model]);
        finite("positional_encoding", "base", base);
        border.call(operators.positional_encoding, { out, base });
        return out;
      }),
  };
}
