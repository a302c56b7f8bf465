// Layers and a training step for TensorFlow.js. The wasm backend hands a product to XNNPACK only if it has neither a
// batch nor a transposed operand, and the rest to a naive loop: `unrolled` splits attention into such products, and
// transposes explicitly, in gradients too. Weights are [n_in, n_out].
import { causalMask, shifted } from "../weights.mjs";

export function makeLayers(tf, variant) {
  const unrolled = variant === "unrolled";
  const product = tf.customGrad((a, b, save) => {
    save([a, b]);
    const gradFunc = (dout, [a, b]) => [tf.matMul(dout, tf.transpose(b)), tf.matMul(tf.transpose(a), dout)];
    return { value: tf.matMul(a, b), gradFunc };
  });
  const multiply = unrolled ? product : tf.matMul;

  function linear(x, [weight, bias]) {
    const rows = tf.reshape(x, [-1, x.shape.at(-1)]);
    const out = tf.add(multiply(rows, weight), bias);
    return tf.reshape(out, [...x.shape.slice(0, -1), weight.shape[1]]);
  }

  function norm(x, gain, bias) {
    const { mean, variance } = tf.moments(x, -1, true);
    const normal = tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, 1e-5)));
    return tf.add(tf.mul(normal, gain), bias);
  }

  function weights(products, d, mask) {
    const scores = tf.mul(products, 1 / Math.sqrt(d));
    return tf.softmax(mask ? tf.add(scores, mask) : scores);
  }

  /** Attention over the last two dimensions. */
  function attention(q, k, v, mask) {
    const d = q.shape.at(-1);
    if (!unrolled) return tf.matMul(weights(tf.matMul(q, k, false, true), d, mask), v);
    const [queries, keys, values] = [q, k, v].map((x) =>
      tf.unstack(tf.reshape(x, [-1, ...x.shape.slice(-2)])),
    );
    const outputs = queries.map((query, i) => {
      const scores = product(query, tf.transpose(keys[i]));
      return product(weights(scores, d, mask), values[i]);
    });
    return tf.reshape(tf.stack(outputs), q.shape);
  }

  function sublayer({ n_heads }, { attention: name, causal, memory }, x, source, tensors, layer = "") {
    const at = (part) => [tensors[`${layer}${part}weight`], tensors[`${layer}${part}bias`]];
    if (!name) return linear(tf.relu(linear(x, at("linear1."))), at("linear2."));
    const [batch, n, d_model] = x.shape;
    const thirds = memory
      ? [x, source, source].map((input, i) => linear(input, tensors.thirds[name][i]))
      : tf.split(linear(x, at(`${name}.in_proj_`)), 3, -1);
    const heads = thirds.map((rows) =>
      tf.transpose(tf.reshape(rows, [batch, -1, n_heads, d_model / n_heads]), [0, 2, 1, 3]),
    );
    const outputs = tf.transpose(attention(...heads, causal && tensors.mask), [0, 2, 1, 3]);
    return linear(tf.reshape(outputs, [batch, n, d_model]), at(`${name}.out_proj.`));
  }

  const normalized = (x, name, tensors) => norm(x, tensors[`${name}.weight`], tensors[`${name}.bias`]);

  return {
    norm,
    attention,

    /** What a forward pass needs beside the inputs: the mask, and weights of q, k and v apart. */
    prepared({ n, sublayers }, tensors) {
      const { data, shape } = causalMask(n, n);
      const crossing = sublayers.filter(({ memory }) => memory).map(({ attention }) => attention);
      const thirds = crossing.map((name) => {
        const weights = tf.split(tensors[`${name}.in_proj_weight`], 3, 1);
        const biases = tf.split(tensors[`${name}.in_proj_bias`], 3);
        return [name, weights.map((weight, i) => [weight, biases[i]])];
      });
      return { ...tensors, mask: tf.tensor(data, shape), thirds: Object.fromEntries(thirds) };
    },

    /** Post-LN. */
    layer: (workload, { x, memory, ...tensors }) =>
      workload.sublayers.reduce((x, part) => {
        const out = sublayer(workload, part, x, part.memory ? memory : x, tensors);
        return normalized(tf.add(x, out), part.norm, tensors);
      }, x),

    /** Pre-LN. ids, targets: one-hot, [batch n, vocab]; the gradient of a gather is missing in the backend. */
    loss(workload, tensors, ids, targets) {
      const { batch, n, d_model } = workload;
      const embedded = tf.reshape(multiply(ids, tensors["embedding.weight"]), [batch, n, d_model]);
      let x = tf.add(embedded, tensors["positions.weight"]);
      for (const name of workload.layers) {
        for (const part of workload.sublayers) {
          const y = normalized(x, name + part.norm, tensors);
          x = tf.add(x, sublayer(workload, part, y, y, tensors, name));
        }
      }
      const rows = tf.reshape(normalized(x, "norm", tensors), [batch * n, d_model]);
      return tf.losses.softmaxCrossEntropy(
        targets,
        linear(rows, [tensors["head.weight"], tensors["head.bias"]]),
      );
    },
  };
}

/** A job of page.mjs: every call is a step of Adam and returns the loss. */
export function trainer(tf, workload, { tokens, ...inputs }, variant) {
  const layers = makeLayers(tf, variant);
  const entries = Object.entries(inputs).map(([name, { data, shape }]) => [
    name,
    tf.variable(tf.tensor(data, shape), true),
  ]);
  const variables = layers.prepared(workload, Object.fromEntries(entries));
  const shiftedTokens = shifted(workload, tokens);
  const oneHot = (ids) => tf.cast(tf.oneHot(tf.tensor1d(ids, "int32"), workload.vocab), "float32");
  const optimizer = tf.train.adam(workload.rate, 0.9, 0.999, 1e-8);
  const loss = () =>
    layers.loss(workload, variables, oneHot(shiftedTokens.ids), oneHot(shiftedTokens.targets));
  return {
    run: () => tf.tidy(() => optimizer.minimize(loss, true).dataSync()),
    dispose() {
      tf.dispose(variables);
      optimizer.dispose();
    },
  };
}
