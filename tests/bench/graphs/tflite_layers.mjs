// TensorFlow Lite graphs of layers, whose inputs are (batch n, d_model).
import { rowsOf } from "../weights.mjs";

/** Returns the result in `graph`, a Graph of tflite.mjs. */
export function tfliteLayer(graph, workload, inputs) {
  const { batch, n, n_memory, d_model, n_heads } = workload;
  const build = {
    project: (x, name, relu) => graph.fullyConnected(x, inputs[`${name}weight`], inputs[`${name}bias`], relu),
    heads(x, length, name, third) {
      const [weight, bias] = ["weight", "bias"].map((kind) =>
        rowsOf(inputs[`${name}.in_proj_${kind}`], third * d_model, d_model),
      );
      const rows = graph.fullyConnected(x, weight, bias);
      const split = graph.reshape(rows, [batch, length, n_heads, d_model / n_heads]);
      return graph.transpose(split, [0, 2, 1, 3]);
    },
  };
  const vector = (name) => graph.constant(inputs[name].data, inputs[name].shape);
  let x = graph.input([batch * n, d_model]);
  const memory = inputs.memory && graph.input([batch * n_memory, d_model]);
  for (const { attention, causal, memory: crosses, norm } of workload.sublayers) {
    const attend = () => {
      const [source, n_k] = crosses ? [memory, n_memory] : [x, n];
      const q = build.heads(x, n, attention, 0);
      const [k, v] = [1, 2].map((third) => build.heads(source, n_k, attention, third));
      const outputs = graph.transpose(graph.attention(q, k, v, causal), [0, 2, 1, 3]);
      return build.project(graph.reshape(outputs, [batch * n, d_model]), `${attention}.out_proj.`);
    };
    const feed = () => build.project(build.project(x, "linear1.", true), "linear2.");
    const sum = graph.same("ADD", x, attention ? attend() : feed());
    x = graph.layerNorm(sum, vector(`${norm}.weight`), vector(`${norm}.bias`));
  }
  return x;
}
