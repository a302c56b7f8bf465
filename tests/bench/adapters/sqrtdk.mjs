// sqrtdk as its package is used: operands are resident tensors, and so is the result, which is read as a new array
// (fresh), into an array of the caller's (reused) or where it lies (view).
import { load } from "sqrtdk";
import { withWeights } from "../weights.mjs";

const reads = {
  fresh: ({ data }) => data,
  reused(tensor, array) {
    tensor.copyTo(array);
    return array;
  },
  view: (tensor) => tensor.view().array,
};

export async function create() {
  const sqrtdk = await load();
  const masked = ({ causal }) => (causal ? { causal: "bottom_right" } : {});
  const kinds = {
    matmul: (_, { a, b, out }) => sqrtdk.matmul(a, b, { out }),
    linear: (_, { a, packed, out }) => sqrtdk.matmul(a, packed, { out }),
    attention: (workload, { q, k, v, out }) => sqrtdk.attention(q, k, v, { ...masked(workload), out }),
    softmax: (_, { x, out }) => sqrtdk.softmax(x, { out }),
    layer_norm: (_, { x, gain, bias, out }) => sqrtdk.layer_norm(x, { gain, bias, out }),
    gelu: (_, { x, out }) => sqrtdk.activation("gelu", x, { out }),
    encoder: (_, { layer, x, out }) => layer.forward(x, { out }),
    decoder: (_, { layer, x, memory, out }) => layer.forward(x, memory, { out }),
  };
  const layers = { encoder: sqrtdk.encoder_layer, decoder: sqrtdk.decoder_layer };

  function backward(workload, { q, k, v, dout }) {
    const options = masked(workload);
    const made = sqrtdk.scope(() => {
      const forward = sqrtdk.attention(q, k, v, { ...options, return_stats: true });
      return sqrtdk.attention_backward(q, k, v, forward, dout, options);
    });
    return Object.values(made).map((gradient) => {
      const { data } = gradient;
      gradient.dispose();
      return data;
    });
  }

  /** Inputs are a layer's parameters, which have names with dots, or operands. */
  const withDots = (inputs, wanted) =>
    Object.fromEntries(Object.entries(inputs).filter(([name]) => name.includes(".") === wanted));

  function makeLayer({ kind, d_model, n_heads, d_ff }, inputs) {
    const layer = layers[kind]({ d_model, n_heads, d_ff });
    layer.load_state_dict(withDots(inputs, true));
    return layer;
  }

  /** Its task draws, from a text of n + 1 characters, the one sequence of the workload's batch. */
  function training({ n, batch, n_layers, d_model, n_heads, d_ff, rate }, { tokens, ...weights }) {
    const text = String.fromCodePoint(...tokens.data.subarray(0, n + 1).map((token) => 0x4e00 + token));
    const trainer = sqrtdk.trainer({
      task: "characters",
      ...{ text, length: n, topology: "decoder", positions: "learned" },
      ...{ n_layers, d_model, n_heads, d_ff, norm_first: true, final_norm: true, head_bias: true },
      ...{ optimizer: "adam", learning_rate: rate, batch },
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
        Object.entries(withDots(inputs, false)).map(([name, { data, shape }]) => [
          name,
          sqrtdk.tensor(data, shape),
        ]),
      );
      const dispose = () => Object.values(tensors).forEach((tensor) => tensor.dispose());
      if (kind === "attention_backward") return { run: () => backward(workload, tensors), dispose };
      if (kind in layers) tensors.layer = makeLayer(workload, inputs);
      if (kind === "linear") tensors.packed = sqrtdk.pack_matrix(tensors.b);
      const shape = m ? [m, n] : Object.values(inputs)[0].shape;
      const array = new Float32Array(shape.reduce((product, size) => product * size, 1));
      tensors.out = sqrtdk.tensor(array, shape);
      return { run: () => reads[variant](kinds[kind](workload, tensors), array), dispose };
    },
  };
}
