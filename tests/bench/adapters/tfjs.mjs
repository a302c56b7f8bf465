// TensorFlow.js, its wasm backend, one thread. The backend hands a product to XNNPACK only if it has neither a batch
// nor a transposed operand, and the rest to a naive loop: `unrolled` splits attention into such products.
export async function create() {
  await script("/node_modules/@tensorflow/tfjs-core/dist/tf-core.min.js");
  await script("/node_modules/@tensorflow/tfjs-backend-wasm/dist/tf-backend-wasm.min.js");
  const { tf } = globalThis;
  tf.wasm.setWasmPaths("/node_modules/@tensorflow/tfjs-backend-wasm/dist/");
  tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  if (!(await tf.setBackend("wasm"))) throw new Error("TensorFlow.js has no wasm backend here");
  await tf.ready();

  const heads = {
    plain: ({ q, k, v, mask }) => tf.matMul(weights(tf.matMul(q, k, false, true), q, mask), v),
    unrolled({ q, k, v, mask }) {
      const [queries, keys, values] = [q, k, v].map((x) => tf.unstack(x));
      const outputs = queries.map((query, i) => {
        const scores = tf.matMul(query, tf.transpose(keys[i]));
        return tf.matMul(weights(scores, q, mask), values[i]);
      });
      return tf.stack(outputs);
    },
  };
  function weights(products, { shape }, mask) {
    const scores = tf.mul(products, 1 / Math.sqrt(shape.at(-1)));
    return tf.softmax(mask ? tf.add(scores, mask) : scores);
  }
  const kinds = {
    matmul: ({ a, b }) => tf.matMul(a, b),
    linear: ({ a, b }) => tf.matMul(a, b),
    attention: (tensors, variant) => heads[variant](tensors),
    softmax: ({ x }) => tf.softmax(x),
    layer_norm({ x, gain, bias }) {
      const { mean, variance } = tf.moments(x, -1, true);
      const normal = tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, 1e-5)));
      return tf.add(tf.mul(normal, gain), bias);
    },
    gelu: ({ x }) => tf.mul(tf.mul(x, 0.5), tf.add(tf.erf(tf.mul(x, Math.SQRT1_2)), 1)),
  };

  return {
    variants: ({ kind }) => (kind === "attention" ? Object.keys(heads) : ["plain"]),
    prepare({ kind, n_q, n_k, causal }, inputs, variant) {
      const tensors = Object.fromEntries(
        Object.entries(inputs).map(([name, { data, shape }]) => [name, tf.tensor(data, shape)]),
      );
      if (causal) tensors.mask = tf.tensor(causalMask(n_q), [n_q, n_k]);
      return {
        run() {
          const out = tf.tidy(() => kinds[kind](tensors, variant));
          const result = out.dataSync();
          out.dispose();
          return result;
        },
        dispose: () => Object.values(tensors).forEach((tensor) => tensor.dispose()),
      };
    },
  };
}

function causalMask(n) {
  return Float32Array.from({ length: n * n }, (_, at) => (at % n > Math.floor(at / n) ? -1e30 : 0));
}

function script(src) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement("script"), { src, onload: resolve });
    element.onerror = () => reject(new Error(`cannot load ${src}`));
    document.head.append(element);
  });
}
