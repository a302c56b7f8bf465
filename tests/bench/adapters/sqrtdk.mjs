// sqrtdk as its package is used: operands are resident tensors, and so is the result, which is read as a new array
// (fresh), into an array of the caller's (reused) or where it lies (view).
import { load } from "sqrtdk";
import { withWeights } from "../weights.mjs";

const reads = {
  fresh: (tensor) => tensor.toArray(),
  reused(tensor, array) {
    tensor.copyTo(array);
    return array;
  },
  view: (tensor) => tensor.view().array,
};

export async function create(threads) {
  const { ops, nn, train, scope, tensor } = await load({ threads });
  const masked = ({ causal }) => (causal ? { causal: "bottom_right" } : {});
  const kinds = {
    matmul: (_, { a, b, out }) => ops.matmul(a, b, { out }),
    linear: (_, { a, packed, out }) => ops.matmul(a, packed, { out }),
    attention: (workload, { q, k, v, out }) => ops.attention(q, k, v, { ...masked(workload), out }),
    softmax: (_, { x, out }) => ops.softmax(x, { out }),
    layer_norm: (_, { x, gain, bias, out }) => ops.layerNorm(x, { gain, bias, out }),
    gelu: (_, { x, out }) => ops.activation("gelu", x, { out }),
    encoder: (_, { layer, x, out }) => layer.forward(x, { out }),
    decoder: (_, { layer, x, memory, out }) => layer.forward(x, memory, { out }),
  };
  const layers = { encoder: nn.EncoderLayer, decoder: nn.DecoderLayer };

  function backward(workload, { q, k, v, dout }) {
    const options = masked(workload);
    const made = scope(() => {
      const forward = ops.attention(q, k, v, { ...options, returnStats: true });
      return ops.attentionBackward(q, k, v, forward, dout, options);
    });
    return Object.values(made).map((gradient) => {
      const numbers = gradient.toArray();
      gradient.dispose();
      return numbers;
    });
  }

  /** Inputs are a layer's parameters, which have names with dots, or operands. */
  const withDots = (inputs, wanted) =>
    Object.fromEntries(Object.entries(inputs).filter(([name]) => name.includes(".") === wanted));

  function makeLayer({ kind, d_model, n_heads, d_ff }, inputs) {
    const layer = new layers[kind]({ dModel: d_model, nHeads: n_heads, dFf: d_ff });
    layer.loadStateDict(withDots(inputs, true));
    return layer;
  }

  /** Its task draws, from a text of n + 1 characters, the one sequence of the workload's batch. */
  function training({ n, batch, n_layers, d_model, n_heads, d_ff, rate }, { tokens, ...weights }) {
    const text = String.fromCodePoint(...tokens.data.subarray(0, n + 1).map((token) => 0x4e00 + token));
    const trainer = train.trainer({
      task: "characters",
      ...{ text, length: n, topology: "decoder", positions: "learned" },
      ...{ nLayers: n_layers, dModel: d_model, nHeads: n_heads, dFf: d_ff },
      ...{ normFirst: true, finalNorm: true, headBias: true },
      ...{ optimizer: "adam", learningRate: rate, batch },
    });
    trainer.restore(withWeights(trainer.checkpoint(), weights));
    return { run: () => Float32Array.of(trainer.step().loss), dispose: () => trainer.dispose() };
  }

  return {
    variants({ kind, growth }) {
      return /^(attention_backward|train)$/.test(kind) || growth ? ["fresh"] : Object.keys(reads);
    },
    prepare(workload, inputs, variant) {
      const { kind, m, n } = workload;
      if (kind === "train") return training(workload, inputs);
      const tensors = Object.fromEntries(
        Object.entries(withDots(inputs, false)).map(([name, { data, shape }]) => [name, tensor(data, shape)]),
      );
      const dispose = () => Object.values(tensors).forEach((tensor) => tensor.dispose());
      if (kind === "attention_backward") return { run: () => backward(workload, tensors), dispose };
      if (kind in layers) tensors.layer = makeLayer(workload, inputs);
      if (kind === "linear") tensors.packed = ops.packMatrix(tensors.b);
      const shape = m ? [m, n] : Object.values(inputs)[0].shape;
      const array = new Float32Array(shape.reduce((product, size) => product * size, 1));
      tensors.out = tensor(array, shape);
      return { run: () => reads[variant](kinds[kind](workload, tensors), array), dispose };
    },
  };
}
