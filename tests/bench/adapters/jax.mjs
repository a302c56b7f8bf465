// jax-js, its wasm backend, everything under jit. Without SharedArrayBuffer it stays on the calling thread.
// Attention as one writes it (plain) and as nn.dotProductAttention.
import { forProducts } from "../weights.mjs";
delete globalThis.SharedArrayBuffer;
const { defaultDevice, init, jit, nn, numpy: np, tree } = await import("@jax-js/jax");
const { array, attention, layer, norm, trainer } = await import("./jax_layers.mjs");

const kinds = {
  matmul: () => multiply,
  linear: () => multiply,
  encoder: layer,
  decoder: layer,
  softmax: () => (inputs) => nn.softmax(inputs.x, -1),
  layer_norm: () => (inputs) => norm(inputs.x, inputs.gain, inputs.bias),
  gelu: () => (inputs) => nn.gelu(inputs.x, { approximate: false }),
};
const heads = {
  plain:
    ({ causal }) =>
    ({ q, k, v }) =>
      attention(q, k, v, causal),
  dotProductAttention: ({ heads, d, causal }) =>
    function ({ q, k, v }) {
      const operands = [q, k, v].map((x) => x.reshape([heads, -1, 1, d]));
      return nn.dotProductAttention(...operands, { isCausal: causal });
    },
};
const multiply = ({ a, b }) => np.matmul(a, b);

export async function create() {
  await init("wasm");
  defaultDevice("wasm");
  return {
    variants: ({ kind }) => (kind === "attention" ? Object.keys(heads) : ["plain"]),
    prepare(workload, inputs, variant) {
      const turned = forProducts(inputs);
      if (workload.kind === "train") return trainer(workload, turned);
      const operands = Object.fromEntries(Object.entries(turned).map(([name, x]) => [name, array(x)]));
      const compiled = jit((kinds[workload.kind] ?? heads[variant])(workload));
      return {
        run: () => compiled(tree.ref(operands)).data(),
        dispose() {
          tree.dispose(operands);
          compiled.dispose?.();
        },
      };
    },
  };
}
