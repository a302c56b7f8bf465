// TensorFlow.js, its wasm backend, one thread. Products of many heads in two variants: see tfjs_layers.mjs.
import { causalMask, forProducts } from "../weights.mjs";
import { makeLayers, trainer } from "./tfjs_layers.mjs";

export async function create() {
  await script("/node_modules/@tensorflow/tfjs-core/dist/tf-core.min.js");
  await script("/node_modules/@tensorflow/tfjs-layers/dist/tf-layers.min.js"); // holds the gradients
  await script("/node_modules/@tensorflow/tfjs-backend-wasm/dist/tf-backend-wasm.min.js");
  const { tf } = globalThis;
  tf.wasm.setWasmPaths("/node_modules/@tensorflow/tfjs-backend-wasm/dist/");
  tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  if (!(await tf.setBackend("wasm"))) throw new Error("TensorFlow.js has no wasm backend here");
  await tf.ready();

  const kinds = {
    matmul: (_, { a, b }) => tf.matMul(a, b),
    linear: (_, { a, b }) => tf.matMul(a, b),
    attention: (_, { q, k, v, mask }, { attention }) => attention(q, k, v, mask),
    encoder: (workload, tensors, { layer }) => layer(workload, tensors),
    decoder: (workload, tensors, { layer }) => layer(workload, tensors),
    softmax: (_, { x }) => tf.softmax(x),
    layer_norm: (_, { x, gain, bias }, { norm }) => norm(x, gain, bias),
    gelu: (_, { x }) => tf.mul(tf.mul(x, 0.5), tf.add(tf.erf(tf.mul(x, Math.SQRT1_2)), 1)),
  };
  const manyHeads = /^(attention|encoder|decoder|train)$/;

  return {
    variants: ({ kind }) => (manyHeads.test(kind) ? ["plain", "unrolled"] : ["plain"]),
    prepare(workload, inputs, variant) {
      const { kind, n_q, n_k, causal } = workload;
      const turned = forProducts(inputs);
      if (kind === "train") return trainer(tf, workload, turned, variant);
      const layers = makeLayers(tf, variant);
      const entries = Object.entries(turned).map(([name, { data, shape }]) => [name, tf.tensor(data, shape)]);
      let tensors = Object.fromEntries(entries);
      if (causal) {
        const { data, shape } = causalMask(n_q, n_k);
        tensors.mask = tf.tensor(data, shape);
      }
      if (workload.sublayers) tensors = layers.prepared(workload, tensors);
      return {
        run() {
          const out = tf.tidy(() => kinds[kind](workload, tensors, layers));
          const result = out.dataSync();
          out.dispose();
          return result;
        },
        dispose: () => tf.dispose(tensors),
      };
    },
  };
}

function script(src) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement("script"), { src, onload: resolve });
    element.onerror = () => reject(new Error(`cannot load ${src}`));
    document.head.append(element);
  });
}
