// ONNX graphs of layers: of elementary operators (plain), and with onnxruntime's own Attention, MultiHeadAttention and
// SkipLayerNormalization, as its optimizer for transformers makes them (fused).
import { rowsOf, transposed } from "../weights.mjs";

/** The model as bytes, from a Graph of onnx.mjs. */
export function onnxLayer(graph, workload, inputs, variant) {
  const { d_model, sublayers } = workload;
  const build = { graph, workload, ...constants(graph, inputs), inputs };
  const named = (name) => graph.input(name, inputs[name].shape);
  let x = named("x");
  const memory = inputs.memory && named("memory");
  for (const part of sublayers) {
    const { attention } = part;
    const source = part.memory ? memory : x;
    const last = attention ? `${attention}.out_proj.` : "linear2.";
    const inner = attention ? attend[variant](build, part, x, source) : hidden(build, x);
    const [product, bias] = [build.product(inner, `${last}weight`), build.vector(`${last}bias`)];
    const affine = [build.vector(`${part.norm}.weight`), build.vector(`${part.norm}.bias`)];
    if (variant === "fused") {
      x = graph.microsoft("SkipLayerNormalization", [product, x, ...affine, bias], epsilon);
    } else {
      const sum = graph.node("Add", [x, graph.node("Add", [product, bias])]);
      x = graph.node("LayerNormalization", [sum, ...affine], { axis: -1, ...epsilon });
    }
  }
  return graph.finish(x, [workload.batch, workload.n, d_model]);
}

const epsilon = { epsilon: { float: 1e-5 } };

/** Makers of constants: a vector, and the product of x with rows of a weight, without its bias. */
function constants(graph, inputs) {
  const matrix = (weight) => {
    const { data, shape } = transposed(weight);
    return graph.constant(data, shape);
  };
  const product = (x, name, ...rows) => graph.node("MatMul", [x, matrix(rowsOf(inputs[name], ...rows))]);
  const vector = (name, ...rows) => {
    const { data, shape } = rowsOf(inputs[name], ...rows);
    return graph.constant(data, shape);
  };
  return { matrix, product, vector };
}

function hidden({ graph, product, vector }, x) {
  return graph.node("Relu", [graph.node("Add", [product(x, "linear1.weight"), vector("linear1.bias")])]);
}

/** The heads' outputs side by side, before the output projection. */
const attend = {
  plain({ graph, workload, product, vector }, { attention, causal, memory }, x, source) {
    const { batch, n, n_memory, d_model, n_heads } = workload;
    const n_k = memory ? n_memory : n;
    const d = d_model / n_heads;
    const [q, k, v] = [x, source, source].map((input, i) => {
      const [weight, bias] = [`${attention}.in_proj_weight`, `${attention}.in_proj_bias`];
      const rows = [i * d_model, d_model];
      const projected = graph.node("Add", [product(input, weight, ...rows), vector(bias, ...rows)]);
      const shape = graph.shape([batch, i ? n_k : n, n_heads, d]);
      const perm = i === 1 ? [0, 2, 3, 1] : [0, 2, 1, 3];
      return graph.node("Transpose", [graph.node("Reshape", [projected, shape])], { perm });
    });
    const scale = graph.constant(Float32Array.of(1 / Math.sqrt(d)), [1]);
    let scores = graph.node("Mul", [graph.node("MatMul", [q, k]), scale]);
    if (causal) scores = graph.node("Add", [scores, graph.causalMask(n, n_k)]);
    const heads = graph.node("MatMul", [graph.node("Softmax", [scores], { axis: -1 }), v]);
    const rows = graph.node("Transpose", [heads], { perm: [0, 2, 1, 3] });
    return graph.node("Reshape", [rows, graph.shape([batch, n, d_model])]);
  },

  fused({ graph, workload, matrix, product, vector, inputs }, { attention, causal, memory }, x, source) {
    const { d_model, n_heads } = workload;
    const [weight, bias] = [`${attention}.in_proj_weight`, `${attention}.in_proj_bias`];
    if (!memory) {
      const operands = [x, matrix(inputs[weight]), vector(bias)];
      return graph.microsoft("Attention", operands, { num_heads: n_heads, unidirectional: causal ? 1 : 0 });
    }
    const [q, k, v] = [x, source, source].map((input, i) => product(input, weight, i * d_model, d_model));
    return graph.microsoft("MultiHeadAttention", [q, k, v, vector(bias)], { num_heads: n_heads });
  },
};
