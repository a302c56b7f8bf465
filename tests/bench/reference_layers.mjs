// What is right for layers and for training: see tape.mjs.
import { Tape, Value } from "./tape.mjs";
import { shifted } from "./weights.mjs";

export function layer(workload, inputs) {
  const values = valuesOf(inputs);
  return { values: layerOf(new Tape(), workload, values).values, width: workload.d_model };
}

/** Post-LN. */
function layerOf(tape, workload, values) {
  let { x } = values;
  for (const part of workload.sublayers) {
    const out = sublayer(tape, workload, part, x, part.memory ? values.memory : x, values);
    x = normalized(tape, tape.add(x, out), part.norm, values);
  }
  return x;
}

/** The losses of the steps 2 .. steps + 1. */
export function train(workload, { tokens, ...inputs }) {
  const values = valuesOf(inputs);
  const { ids, targets } = shifted(workload, tokens);
  const update = adam(workload, Object.values(values));
  const losses = [];
  for (let step = 1; step <= workload.steps + 1; step++) {
    for (const { gradient } of Object.values(values)) gradient.fill(0);
    const tape = new Tape();
    const loss = tape.crossEntropy(logitsOf(tape, workload, ids, values), targets);
    tape.backward(loss);
    update(step);
    losses.push(loss.values[0]);
  }
  return { values: Float64Array.from(losses.slice(1)), width: 1, gradients: values };
}

/** Pre-LN, as a decoder-only model has it. */
function logitsOf(tape, workload, ids, values) {
  const positions = Array.from(ids, (_, i) => i % workload.n);
  const embedded = tape.rows(values["embedding.weight"], ids);
  let x = tape.add(embedded, tape.rows(values["positions.weight"], positions));
  for (const name of workload.layers) {
    for (const part of workload.sublayers) {
      const y = normalized(tape, x, name + part.norm, values);
      x = tape.add(x, sublayer(tape, workload, part, y, y, values, name));
    }
  }
  return tape.linear(normalized(tape, x, "norm", values), values["head.weight"], values["head.bias"]);
}

function sublayer(tape, { batch, n_heads }, { attention, causal }, x, source, values, name = "") {
  const apply = (input, part, ...rows) => {
    const [weight, bias] = ["weight", "bias"].map((kind) => values[`${name}${part}${kind}`]);
    return tape.linear(input, weight, bias, ...rows);
  };
  if (!attention) return apply(tape.relu(apply(x, "linear1.")), "linear2.");
  const [q, k, v] = [x, source, source].map((input, i) =>
    apply(input, `${attention}.in_proj_`, i * x.width, x.width),
  );
  return apply(tape.attention(q, k, v, { batch, n_heads, causal }), `${attention}.out_proj.`);
}

const normalized = (tape, x, name, values) => tape.norm(x, values[`${name}.weight`], values[`${name}.bias`]);

/** m, v: means of gradients and of their squares. Kingma and Ba, "Adam", 2015, algorithm 1. */
function adam({ rate }, values) {
  const means = values.map(({ values: { length } }) => [new Float64Array(length), new Float64Array(length)]);
  return (step) =>
    values.forEach(({ values: parameters, gradient }, p) => {
      const [m, v] = means[p];
      gradient.forEach((g, i) => {
        m[i] = 0.9 * m[i] + 0.1 * g;
        v[i] = 0.999 * v[i] + 0.001 * g * g;
        const root = Math.sqrt(v[i] / (1 - 0.999 ** step));
        parameters[i] -= (rate * (m[i] / (1 - 0.9 ** step))) / (root + 1e-8);
      });
    });
}

function valuesOf(inputs) {
  const entries = Object.entries(inputs).map(([name, { data, shape }]) => [
    name,
    new Value(Float64Array.from(data), shape.at(-1)),
  ]);
  return Object.fromEntries(entries);
}
