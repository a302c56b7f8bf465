// ONNX graphs of the workloads. Field numbers from onnx.proto (github.com/onnx/onnx, onnx/onnx.proto).
import { causalMask } from "../weights.mjs";
import { onnxLayer } from "./onnx_layers.mjs";
import { bytes, concatenate, float, integer } from "./protobuf.mjs";

const microsoft = "com.microsoft"; // operators of onnxruntime's own

/** The model as bytes; its result is called "out". `variant` as in adapters/onnxruntime.mjs. */
export function onnxGraph(workload, inputs, variant) {
  const { kind, n_q, n_k, d, causal } = workload;
  const graph = new Graph();
  const given = ({ shape }, name) => graph.input(name, shape);
  const rowwise = (type, attributes) => {
    const names = Object.entries(inputs).map(([name, tensor]) => given(tensor, name));
    return graph.finish(graph.node(type, names, attributes), inputs.x.shape);
  };
  switch (kind) {
    case "matmul":
    case "linear": {
      const { a, b } = inputs;
      const right = kind === "linear" ? graph.constant(b.data, b.shape) : given(b, "b");
      return graph.finish(graph.node("MatMul", [given(a, "a"), right]), [workload.m, workload.n]);
    }
    case "attention": {
      // One head per sequence: (batch, sequence, hidden) is then (heads, n, d) itself.
      const four = variant === "attention23" ? [1] : [];
      const [q, k, v] = ["q", "k", "v"].map((name) => graph.input(name, [...four, ...inputs[name].shape]));
      const shape = [...four, ...inputs.q.shape];
      if (variant === "attention23") {
        return graph.finish(graph.node("Attention", [q, k, v], { is_causal: causal ? 1 : 0 }), shape, 23);
      }
      if (variant === "mha") {
        const attributes = { num_heads: 1, unidirectional: causal ? 1 : 0 };
        return graph.finish(graph.microsoft("MultiHeadAttention", [q, k, v], attributes), shape);
      }
      const products = graph.node("MatMul", [q, graph.node("Transpose", [k], { perm: [0, 2, 1] })]);
      let scores = graph.node("Mul", [products, graph.constant(Float32Array.of(1 / Math.sqrt(d)), [1])]);
      if (causal) scores = graph.node("Add", [scores, graph.causalMask(n_q, n_k)]);
      return graph.finish(graph.node("MatMul", [graph.node("Softmax", [scores], { axis: -1 }), v]), shape);
    }
    case "encoder":
    case "decoder":
      return onnxLayer(graph, workload, inputs, variant);
    case "softmax":
      return rowwise("Softmax", { axis: -1 });
    case "layer_norm":
      return rowwise("LayerNormalization", { axis: -1, epsilon: { float: 1e-5 } });
    case "gelu":
      return rowwise("Gelu");
    default:
      throw new Error(`no ONNX graph for ${kind}`);
  }
}

class Graph {
  #parts = []; // of GraphProto
  #names = 0;

  input(name, shape) {
    this.#parts.push(bytes(11, valueInfo(name, shape)));
    return name;
  }

  /** A tensor that is part of the model. */
  constant(data, shape) {
    const name = this.#name();
    const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const dims = shape.flatMap((size) => integer(1, size));
    const type = data instanceof BigInt64Array ? integers : floats;
    this.#parts.push(bytes(5, concatenate(dims, integer(2, type), bytes(8, name), bytes(9, raw))));
    return name;
  }

  /** A shape as an operand. */
  shape(sizes) {
    return this.constant(BigInt64Array.from(sizes, BigInt), [sizes.length]);
  }

  causalMask(n_q, n_k) {
    const { data, shape } = causalMask(n_q, n_k, -Infinity);
    return this.constant(data, shape);
  }

  /** Returns the name of the node's result. Attributes: whole numbers, lists of them, or { float }. */
  node(type, inputs, attributes = {}, domain = "") {
    const result = this.#name();
    this.#parts.push(bytes(1, nodeProto(type, inputs, result, attributes, domain)));
    return result;
  }

  /** One of onnxruntime's own operators. */
  microsoft(type, inputs, attributes) {
    return this.node(type, inputs, attributes, microsoft);
  }

  finish(result, shape, opset = 20) {
    this.#parts.push(bytes(1, nodeProto("Identity", [result], "out", {}, "")));
    const graph = concatenate(...this.#parts, bytes(2, "bench"), bytes(12, valueInfo("out", shape)));
    const operators = (domain, version) => bytes(8, concatenate(bytes(1, domain), integer(2, version)));
    return concatenate(
      integer(1, 10), // version of the format
      bytes(7, graph),
      operators("", opset),
      operators(microsoft, 1),
    );
  }

  #name() {
    return `t${this.#names++}`;
  }
}

const [floats, integers] = [1, 7]; // TensorProto.DataType

function valueInfo(name, shape) {
  const dims = shape.map((size) => bytes(1, integer(1, size)));
  const type = bytes(1, concatenate(integer(1, floats), bytes(2, concatenate(...dims))));
  return concatenate(bytes(1, name), bytes(2, type));
}

function nodeProto(type, inputs, output, attributes, domain) {
  return concatenate(
    ...inputs.map((name) => bytes(1, name)),
    bytes(2, output),
    bytes(4, type),
    ...Object.entries(attributes).map(([name, value]) => bytes(5, attribute(name, value))),
    bytes(7, domain),
  );
}

function attribute(name, value) {
  const kind = (type) => integer(20, type); // AttributeProto.AttributeType
  if (Array.isArray(value)) {
    return concatenate(bytes(1, name), ...value.map((item) => integer(8, item)), kind(7));
  }
  if (typeof value === "object") return concatenate(bytes(1, name), float(2, value.float), kind(1));
  return concatenate(bytes(1, name), integer(3, value), kind(2));
}
