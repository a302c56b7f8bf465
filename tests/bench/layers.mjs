// Workloads of whole layers and of a training step.
import { input } from "./inputs.mjs";

// Parts of layers, in order: attention (to the layer's input, or to `memory`) or, without, the feed-forward network;
// each in a residual connection with its norm.
const encoderParts = [{ attention: "self_attn", norm: "norm1" }, { norm: "norm2" }];
const causalParts = [{ attention: "self_attn", causal: true, norm: "norm1" }, { norm: "norm2" }];
const decoderParts = [
  { attention: "self_attn", causal: true, norm: "norm1" },
  { attention: "multihead_attn", memory: true, norm: "norm2" },
  { norm: "norm3" },
];

/** A layer's operators but for its attention: 2 flops per weight and row, biases and norms not counted. */
const block = (d_model, d_ff) => 2 * (4 * d_model ** 2 + 2 * d_model * d_ff);

const projection = (name, n_out, n_in) => [
  input(`${name}weight`, [n_out, n_in], 1.7 / Math.sqrt(n_in)),
  input(`${name}bias`, [n_out], 0.1),
];
const norm = (name, d) => [input(`${name}.weight`, [d], 0.1, 1), input(`${name}.bias`, [d], 0.1)];

/** The parameters of a layer whose parts are `sublayers`, in PyTorch's names. */
const parameters = (sublayers, d_model, d_ff, name = "") =>
  sublayers.flatMap(({ attention, norm: own }) => {
    const of = (part, n_out, n_in) => projection(`${name}${part}`, n_out, n_in);
    const network = () => [...of("linear1.", d_ff, d_model), ...of("linear2.", d_model, d_ff)];
    const attends = () => [
      ...of(`${attention}.in_proj_`, 3 * d_model, d_model),
      ...of(`${attention}.out_proj.`, d_model, d_model),
    ];
    return [...(attention ? attends() : network()), ...norm(name + own, d_model)];
  });

/** torch.nn.TransformerEncoderLayer as it is by default: post-LN, ReLU; in eval. */
export function encoder(batch, n, goals, { d_model = 512, n_heads = 8, d_ff = 2048 } = {}) {
  const sublayers = encoderParts;
  return {
    id: `encoder ${batch}x${n}`,
    kind: "encoder",
    ...{ batch, n, d_model, n_heads, d_ff, sublayers, goals },
    flops: batch * (n * block(d_model, d_ff) + 4 * n * n * d_model),
    inputs: [input("x", [batch, n, d_model]), ...parameters(sublayers, d_model, d_ff)],
  };
}

/** torch.nn.TransformerDecoderLayer with a causal mask; `memory`: the encoder's n_memory rows. */
export function decoder(batch, n, n_memory, goals, { d_model = 512, n_heads = 8, d_ff = 2048 } = {}) {
  const sublayers = decoderParts;
  const projections = 4 * d_model ** 2 * (n + n_memory); // of attention to the memory
  return {
    id: `decoder ${batch}x${n}x${n_memory}`,
    kind: "decoder",
    ...{ batch, n, n_memory, d_model, n_heads, d_ff, sublayers, goals },
    flops: batch * (n * block(d_model, d_ff) + projections + 4 * n * (n / 2 + n_memory) * d_model),
    inputs: [
      input("x", [batch, n, d_model]),
      input("memory", [batch, n_memory, d_model]),
      ...parameters(sublayers, d_model, d_ff),
    ],
  };
}

/**
 * Steps of Adam on a decoder-only model of characters: pre-LN, ReLU, learned positions, a head of its own, mean
 * cross-entropy. A call is a step and returns its loss; the losses of the steps 2 to steps + 1 are compared. With
 * `text`, all sequences of the batch are one: what a trainer draws from a text that is no longer.
 */
export function train(name, goals, { text = false, ...dimensions }) {
  const { n_layers, d_model, d_ff, n, batch, vocab } = dimensions;
  const layers = Array.from({ length: n_layers }, (_, i) => `layers.${i}.`);
  const forward = batch * n * (n_layers * (block(d_model, d_ff) + 2 * n * d_model) + 2 * d_model * vocab);
  return {
    id: `train ${name}`,
    kind: "train",
    ...dimensions,
    ...{ layers, sublayers: causalParts, rate: 1e-3, steps: 5, goals },
    flops: 3 * forward,
    inputs: [
      { name: "tokens", shape: [batch, n + 1], below: vocab, ...(text ? { period: n + 1 } : {}) },
      input("embedding.weight", [vocab, d_model], 0.5),
      input("positions.weight", [n, d_model], 0.5),
      ...layers.flatMap((layer) => parameters(causalParts, d_model, d_ff, layer)),
      ...norm("norm", d_model),
      ...projection("head.", vocab, d_model),
    ],
  };
}
