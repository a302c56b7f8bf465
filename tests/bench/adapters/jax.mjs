// jax-js, its wasm backend, everything under jit. Without SharedArrayBuffer it stays on the calling thread.
// Attention as one writes it (plain) and as nn.dotProductAttention.
delete globalThis.SharedArrayBuffer;
const { defaultDevice, init, jit, nn, numpy: np, tree } = await import("@jax-js/jax");

// A function owns its arguments: `.ref` keeps one for another use.
const kinds = {
  matmul: ({ a, b }) => np.matmul(a, b),
  linear: ({ a, b }) => np.matmul(a, b),
  softmax: ({ x }) => nn.softmax(x, -1),
  layer_norm: ({ x, gain, bias }) => nn.standardize(x, -1, { epsilon: 1e-5 }).mul(gain).add(bias),
  gelu: ({ x }) => nn.gelu(x, { approximate: false }),
};
const attention = {
  plain: ({ n_q, d, causal }) =>
    function ({ q, k, v }) {
      const scores = np.matmul(q, np.matrixTranspose(k)).mul(1 / Math.sqrt(d));
      return np.matmul(nn.softmax(causal ? scores.add(causalMask(n_q)) : scores, -1), v);
    },
  dotProductAttention: ({ heads, d, causal }) =>
    function ({ q, k, v }) {
      const operands = [q, k, v].map((x) => x.reshape([heads, -1, 1, d]));
      return nn.dotProductAttention(...operands, { isCausal: causal });
    },
};

function causalMask(n) {
  const mask = Float32Array.from({ length: n * n }, (_, at) => (at % n > Math.floor(at / n) ? -1e30 : 0));
  return np.array(mask).reshape([n, n]);
}

export async function create() {
  await init("wasm");
  defaultDevice("wasm");
  return {
    variants: ({ kind }) => (kind === "attention" ? Object.keys(attention) : ["plain"]),
    prepare(workload, inputs, variant) {
      const operands = Object.fromEntries(
        Object.entries(inputs).map(([name, { data, shape }]) => [name, np.array(data).reshape(shape)]),
      );
      const compiled = jit(kinds[workload.kind] ?? attention[variant](workload));
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
