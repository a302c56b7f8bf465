// Layers and a training step for jax-js. A function owns its arguments: `.ref` keeps one for another use. Weights are
// [n_in, n_out].
import { jit, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
import { causalMask, shifted } from "../weights.mjs";

export const array = ({ data, shape }) => np.array(data).reshape(shape);

export const norm = (x, gain, bias) => nn.standardize(x, -1, { epsilon: 1e-5 }).mul(gain).add(bias);

export function attention(q, k, v, causal) {
  const [n_q, d] = q.shape.slice(-2);
  const scores = np.matmul(q, np.matrixTranspose(k)).mul(1 / Math.sqrt(d));
  return np.matmul(nn.softmax(causal ? scores.add(array(causalMask(n_q, n_q))) : scores, -1), v);
}

/** Post-LN: a function of the inputs. */
export const layer =
  (workload) =>
  ({ x, memory, ...parameters }) =>
    workload.sublayers.reduce((x, part) => {
      const out = sublayer(workload, part, x.ref, part.memory ? memory : undefined, parameters);
      return normalized(x.add(out), part.norm, parameters);
    }, x);

function sublayer({ n_heads }, { attention: name, causal }, x, memory, parameters, layer = "") {
  const at = (part) => [parameters[`${layer}${part}weight`], parameters[`${layer}${part}bias`]];
  const linear = (x, [weight, bias]) => np.matmul(x, weight).add(bias);
  if (!name) return linear(nn.relu(linear(x, at("linear1."))), at("linear2."));
  const [batch, n, d_model] = x.shape;
  const [weight, bias] = at(`${name}.in_proj_`);
  const projected = () => {
    if (!memory) return np.split(linear(x, [weight, bias]), 3, -1);
    const [weights, biases] = [np.split(weight, 3, 1), np.split(bias, 3, 0)];
    return [x, memory.ref, memory].map((input, i) => linear(input, [weights[i], biases[i]]));
  };
  const heads = projected().map((rows) =>
    np.transpose(rows.reshape([batch, -1, n_heads, d_model / n_heads]), [0, 2, 1, 3]),
  );
  const outputs = np.transpose(attention(...heads, causal), [0, 2, 1, 3]);
  return linear(outputs.reshape([batch, n, d_model]), at(`${name}.out_proj.`));
}

const normalized = (x, name, parameters) => norm(x, parameters[`${name}.weight`], parameters[`${name}.bias`]);

/** A job of page.mjs: every call is a step of Adam and returns the loss. */
export function trainer(workload, { tokens, ...inputs }) {
  const { batch, n, vocab, rate } = workload;
  const { ids, targets } = shifted(workload, tokens);

  function loss(parameters, x, y) {
    // np.take has no gradient under jit.
    const embedded = np.matmul(nn.oneHot(x, vocab), parameters["embedding.weight"]);
    let a = embedded.reshape([batch, n, -1]).add(parameters["positions.weight"]);
    for (const name of workload.layers) {
      for (const part of workload.sublayers) {
        const normal = normalized(a.ref, name + part.norm, parameters);
        a = a.add(sublayer(workload, part, normal, undefined, parameters, name));
      }
    }
    const last = normalized(a, "norm", parameters);
    const logits = np.matmul(last, parameters["head.weight"]).add(parameters["head.bias"]);
    const logs = nn.logSoftmax(logits.reshape([batch * n, vocab]), -1);
    return np.mean(np.sum(logs.mul(nn.oneHot(y, vocab)), -1)).mul(-1);
  }

  const update = jit((parameters, m, v, x, y, scale1, scale2) => {
    const [value, gradients] = valueAndGrad(loss)(tree.ref(parameters), x, y);
    const newM = tree.map((a, g) => a.mul(0.9).add(g.mul(0.1)), m, tree.ref(gradients));
    const newV = tree.map((a, g) => a.mul(0.999).add(np.square(g).mul(0.001)), v, gradients);
    const moved = (p, a, b) => {
      const root = np.sqrt(b.mul(scale2.ref)).add(1e-8);
      return p.sub(a.mul(scale1.ref).mul(rate).div(root));
    };
    const next = tree.map(moved, parameters, tree.ref(newM), tree.ref(newV));
    scale1.dispose();
    scale2.dispose();
    return [value, next, newM, newV];
  });

  let step = 0;
  let parameters = Object.fromEntries(Object.entries(inputs).map(([name, x]) => [name, array(x)]));
  let [m, v] = [0, 1].map(() => tree.map((x) => np.zerosLike(x.ref), parameters));
  const scalar = (value) => np.array(Float32Array.of(value)).reshape([]);
  return {
    run() {
      step++;
      const scales = [0.9, 0.999].map((beta) => scalar(1 / (1 - beta ** step)));
      const results = update(parameters, m, v, np.array(ids), np.array(targets), ...scales);
      [, parameters, m, v] = results;
      return results[0].data();
    },
    dispose() {
      [parameters, m, v].forEach((values) => tree.dispose(values));
      update.dispose?.();
    },
  };
}
