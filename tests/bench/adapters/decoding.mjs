// Decoding with a llama2.c model, whole and in parts. The variants:
//   token                 generates tokens greedily, in the module
//   token, bf16 or int8   with weights of so many bits
//   OPERATOR              that operator's calls for one token through the package, at the model's sizes
//   token, smallest       a model with as many layers of the smallest sizes
//   OPERATOR, smallest    the same calls on the smallest operands
// The sizes of operands come with the workload, the model from the server.
import { load } from "sqrtdk";
import { syntheticModel } from "../llama2c.mjs";

const ending = ", smallest";
const narrow = ["bf16", "int8"];
const smallest = { d_model: 2, d_ff: 1, n_heads: 1, n_kv_heads: 1, vocab: 2 };

export async function create() {
  const { ops, nn, models, random } = await load();
  const file = await (await fetch("/model")).arrayBuffer();
  const draw = (...shape) => random.randn(shape, { seed: shape.length });

  /** Makers of the calls of one token: { operator: [function, ..] }. */
  function operators({ d_model, d_ff, n_layers, n_heads, n_kv_heads, vocab, past }) {
    const d_head = d_model / n_heads;
    const x = draw(1, 1, d_model);
    const each = (count, make) => Array.from({ length: count }, make);
    const forward = (layer, input, width) => {
      const out = draw(1, 1, width);
      return () => layer.forward(input, { out });
    };
    const linear = (n_out) => forward(new nn.Linear({ nIn: d_model, nOut: n_out, bias: false }), x, n_out);
    const { cos, sin } = ops.rotaryTable(past, d_head);
    const rotary = (heads) => {
      const [rows, out] = [draw(heads, 1, d_head), draw(heads, 1, d_head)];
      return () => ops.rotary(rows, cos, sin, { pairs: "interleaved", out });
    };
    const attend = () => {
      const [q, out] = [draw(n_heads, 1, d_head), draw(n_heads, 1, d_head)];
      const [k, v] = [draw(n_kv_heads, past, d_head), draw(n_kv_heads, past, d_head)];
      return () => ops.attention(q, k, v, { out });
    };
    return {
      embedding: () => [
        forward(new nn.Embedding({ vocab, dModel: d_model }), { data: [0], shape: [1, 1] }, d_model),
      ],
      norms: () => each(2 * n_layers + 1, () => forward(new nn.RMSNorm({ dModel: d_model }), x, d_model)),
      "q, k, v products": () =>
        each(n_layers, () => [d_model, n_kv_heads * d_head, n_kv_heads * d_head].map(linear)).flat(),
      "rotary positions": () => each(n_layers, () => [n_heads, n_kv_heads].map(rotary)).flat(),
      attention: () => each(n_layers, attend),
      "output products": () => each(n_layers, () => linear(d_model)),
      "feed-forward": () =>
        each(n_layers, () => {
          const config = { dModel: d_model, dFf: d_ff, activation: "swiglu", bias: false };
          return forward(new nn.FeedForward(config), x, d_model);
        }),
      logits: () => [linear(vocab)],
    };
  }

  function token({ sizes, tokens }, small, weights) {
    const model = models.loadLlama2c(small ? syntheticModel({ ...sizes, ...smallest }) : file, { weights });
    return () => model.generate([1], { steps: tokens });
  }

  function runOf(workload, variant) {
    const [name, small] = [variant.replace(ending, ""), variant.endsWith(ending)];
    if (name.startsWith("token")) return token(workload, small, name.split(", ")[1] ?? "f32");
    const own = { ...workload.sizes, past: workload.tokens / 2 };
    const calls = operators(small ? { ...own, ...smallest, past: 1 } : own)[name]();
    return () => calls.forEach((call) => call());
  }

  const runs = new Map(); // by variant
  return {
    variants({ sizes }) {
      const names = ["token", ...Object.keys(operators({ ...sizes, past: 1 }))];
      return [...names.flatMap((name) => [name, name + ending]), ...narrow.map((name) => `token, ${name}`)];
    },
    prepare(workload, _, variant) {
      if (!runs.has(variant)) runs.set(variant, runOf(workload, variant));
      return { run: runs.get(variant) };
    },
  };
}
