// TensorFlow Lite graphs of the workloads. Slots and codes from its schema (github.com/tensorflow/tensorflow,
// tensorflow/compiler/mlir/lite/schema/schema.fbs).
import { Builder } from "flatbuffers";
import { causalMask, transposed } from "../weights.mjs";
import { tfliteLayer } from "./tflite_layers.mjs";

// Code of the builtin operator, and the member of the union of options that it takes (0: none).
const operators = {
  ADD: [0, 11],
  FULLY_CONNECTED: [9, 8],
  MUL: [18, 21],
  RESHAPE: [22, 17],
  SOFTMAX: [25, 9],
  TRANSPOSE: [39, 26],
  MEAN: [40, 27],
  SUB: [41, 28],
  RSQRT: [76, 0],
  BATCH_MATMUL: [126, 101],
  GELU: [150, 116],
};

export function tfliteGraph(workload, inputs) {
  const { kind, causal } = workload;
  const graph = new Graph();
  const [first, second, third] = Object.values(inputs);
  const given = ({ shape }) => graph.input(shape);
  switch (kind) {
    case "matmul":
      return graph.finish(graph.matmul(given(first), given(second)));
    case "linear":
      return graph.finish(graph.linear(given(first), second));
    case "attention":
      return graph.finish(graph.attention(given(first), given(second), given(third), causal));
    case "encoder":
    case "decoder":
      return graph.finish(tfliteLayer(graph, workload, inputs));
    case "softmax":
      return graph.finish(graph.softmax(given(first)));
    case "layer_norm":
      return graph.finish(graph.layerNorm(given(first), given(second), given(third)));
    case "gelu":
      return graph.finish(graph.same("GELU", given(first)));
    default:
      throw new Error(`no TensorFlow Lite graph for ${kind}`);
  }
}

class Graph {
  #tensors = []; // { shape, data }
  #inputs = [];
  #nodes = []; // { type, inputs, output, options }, with options as [slot, "Int8" or "Float32", value]

  input(shape) {
    const tensor = this.#tensor(shape);
    this.#inputs.push(tensor);
    return tensor;
  }

  constant(data, shape) {
    return this.#tensor(shape, data);
  }

  node(type, inputs, shape, options = []) {
    const output = this.#tensor(shape);
    this.#nodes.push({ type, inputs, output, options });
    return output;
  }

  /** A node whose result has its first input's shape. */
  same(type, ...inputs) {
    return this.node(type, inputs, this.#tensors[inputs[0]].shape);
  }

  scalar(type, x, value) {
    return this.same(type, x, this.constant(Float32Array.of(value), [1]));
  }

  matmul(a, b, transposeB = false) {
    const [left, right] = [a, b].map((tensor) => this.#tensors[tensor].shape);
    const shape = [...left.slice(0, -1), right.at(transposeB ? -2 : -1)];
    return this.node("BATCH_MATMUL", [a, b], shape, [[1, "Int8", transposeB ? 1 : 0]]);
  }

  /** `weight`: [k, n]; the operator wants it transposed, and a bias. */
  linear(x, weight) {
    const turned = transposed(weight);
    return this.fullyConnected(x, turned, { data: new Float32Array(turned.shape[0]) });
  }

  /** x [rows, n_in], weight [n_out, n_in], bias [n_out]. */
  fullyConnected(x, { data, shape }, bias, relu = false) {
    const operands = [x, this.constant(data, shape), this.constant(bias.data, [shape[0]])];
    const options = relu ? [[0, "Int8", 1]] : []; // fused_activation_function
    return this.node("FULLY_CONNECTED", operands, [this.#tensors[x].shape[0], shape[0]], options);
  }

  /** softmax(q kᵀ / sqrt(d)) v of the last two dimensions. */
  attention(q, k, v, causal) {
    const [queries, keys] = [q, k].map((tensor) => this.#tensors[tensor].shape);
    let scores = this.scalar("MUL", this.matmul(q, k, true), 1 / Math.sqrt(queries.at(-1)));
    if (causal) {
      const { data, shape } = causalMask(queries.at(-2), keys.at(-2));
      const leading = queries.slice(0, -2).map(() => 1);
      scores = this.same("ADD", scores, this.constant(data, [...leading, ...shape]));
    }
    return this.matmul(this.softmax(scores), v);
  }

  reshape(x, shape) {
    return this.node("RESHAPE", [x, this.constant(Int32Array.from(shape), [shape.length])], shape);
  }

  transpose(x, perm) {
    const { shape } = this.#tensors[x];
    const order = this.constant(Int32Array.from(perm), [perm.length]);
    return this.node(
      "TRANSPOSE",
      [x, order],
      perm.map((axis) => shape[axis]),
    );
  }

  softmax(x) {
    return this.node("SOFTMAX", [x], this.#tensors[x].shape, [[0, "Float32", 1]]);
  }

  layerNorm(x, gain, bias) {
    const { shape } = this.#tensors[x];
    const last = this.constant(Int32Array.of(shape.length - 1), [1]);
    const mean = (values) => this.node("MEAN", [values, last], [...shape.slice(0, -1), 1], [[0, "Int8", 1]]);
    const centred = this.same("SUB", x, mean(x));
    const variance = mean(this.same("MUL", centred, centred));
    const rstd = this.same("RSQRT", this.scalar("ADD", variance, 1e-5));
    return this.same("ADD", this.same("MUL", this.same("MUL", centred, rstd), gain), bias);
  }

  /** The model as bytes. */
  finish(output) {
    const builder = new Builder(1 << 20);
    const vector = (items, add, alignment = 4) => {
      builder.startVector(4, items.length, alignment);
      for (const item of items.toReversed()) builder[add](item);
      return builder.endVector();
    };
    const integers = (items) => vector(items, "addInt32");
    const offsets = (items) => vector(items, "addOffset");
    const table = (slots, fields) => {
      builder.startObject(slots);
      for (const [slot, type, value] of fields) builder[`addField${type}`](slot, value, 0);
      return builder.endObject();
    };

    const buffers = [table(3, [])]; // the first is of tensors without data
    const bufferOf = this.#tensors.map(({ data }) => {
      if (!data) return 0;
      const words = new Int32Array(data.buffer, data.byteOffset, data.length);
      return buffers.push(table(3, [[0, "Offset", wordVector(builder, words)]])) - 1;
    });
    const tensors = this.#tensors.map(({ shape, data }, i) => {
      const [name, dims] = [builder.createString(`t${i}`), integers(shape)];
      const type = data instanceof Int32Array ? 2 : 0;
      const fields = [
        [0, "Offset", dims],
        [1, "Int8", type],
        [2, "Int32", bufferOf[i]],
        [3, "Offset", name],
      ];
      return table(11, fields);
    });
    const types = [...new Set(this.#nodes.map(({ type }) => type))];
    const codes = types.map((type) => {
      const [code] = operators[type];
      const fields = [
        [0, "Int8", Math.min(code, 127)],
        [2, "Int32", 1],
        [3, "Int32", code],
      ];
      return table(4, fields);
    });
    const nodes = this.#nodes.map(({ type, inputs, output: result, options }) => {
      const [, union] = operators[type];
      const fields = [
        [0, "Int32", types.indexOf(type)],
        [1, "Offset", integers(inputs)],
        [2, "Offset", integers([result])],
      ];
      if (union) fields.push([3, "Int8", union], [4, "Offset", table(5, options)]);
      return table(13, fields);
    });
    const parts = [offsets(tensors), integers(this.#inputs), integers([output]), offsets(nodes)];
    const graph = table(
      6,
      parts.map((part, slot) => [slot, "Offset", part]),
    );
    const model = [
      [0, "Int32", 3], // version of the format
      [1, "Offset", offsets(codes)],
      [2, "Offset", offsets([graph])],
      [4, "Offset", offsets(buffers)],
    ];
    builder.finish(table(10, model), "TFL3");
    return builder.asUint8Array();
  }

  #tensor(shape, data) {
    return this.#tensors.push({ shape, data }) - 1;
  }
}

/** Bytes of constants, aligned to 16 as the schema asks. */
function wordVector(builder, words) {
  const content = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  builder.startVector(1, content.length, 16);
  builder.bb.setPosition((builder.space -= content.length));
  builder.bb.bytes().set(content, builder.space);
  return builder.endVector();
}
