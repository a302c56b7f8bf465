// Decoding with a llama2.c model, whole and in parts. The variants:
//   token                 generates tokens greedily, in the module
//   OPERATOR              that operator's calls for one token through the package, at the model's sizes
//   token, smallest       a model with as many layers of the smallest sizes
//   OPERATOR, smallest    the same calls on the smallest operands
// The sizes of operands come with the workload, the model from the server.
import { load } from "sqrtdk";
import { syntheticModel } from "../llama2c.mjs";

const ending = ", smallest";
const smallest = { d_model: 2, d_ff: 1, n_heads: 1, n_kv_heads: 1, vocab: 2 };

export async function create() {
  const sqrtdk = await load();
  const file = await (await fetch("/model")).arrayBuffer();
  const random = (...shape) => sqrtdk.randn(shape, { seed: shape.length });

  /** Makers of the calls of one token: { operator: [function, ..] }. */
  function operators({ d_model, d_ff, n_layers, n_heads, n_kv_heads, vocab, past }) {
    const d_head = d_model / n_heads;
    const x = random(1, 1, d_model);
    const each = (count, make) => Array.from({ length: count }, make);
    const forward = (layer, input, width) => {
      const out = random(1, 1, width);
      return () => layer.forward(input, { out });
    };
    const linear = (n_out) => forward(sqrtdk.linear({ n_in: d_model, n_out, bias: false }), x, n_out);
    const { cos, sin } = sqrtdk.rotary_table(past, d_head);
    const rotary = (heads) => {
      const [rows, out] = [random(heads, 1, d_head), random(heads, 1, d_head)];
      return () => sqrtdk.rotary(rows, cos, sin, { pairs: "interleaved", out });
    };
    const attend = () => {
      const [q, out] = [random(n_heads, 1, d_head), random(n_heads, 1, d_head)];
      const [k, v] = [random(n_kv_heads, past, d_head), random(n_kv_heads, past, d_head)];
      return () => sqrtdk.attention(q, k, v, { out });
    };
    return {
      embedding: () => [
        forward(sqrtdk.token_embedding({ vocab, d_model }), { data: [0], shape: [1, 1] }, d_model),
      ],
      norms: () => each(2 * n_layers + 1, () => forward(sqrtdk.norm({ d_model, kind: "rms" }), x, d_model)),
      "q, k, v products": () =>
        each(n_layers, () => [d_model, n_kv_heads * d_head, n_kv_heads * d_head].map(linear)).flat(),
      "rotary positions": () => each(n_layers, () => [n_heads, n_kv_heads].map(rotary)).flat(),
      attention: () => each(n_layers, attend),
      "output products": () => each(n_layers, () => linear(d_model)),
      "feed-forward": () =>
        each(n_layers, () => {
          const config = { d_model, d_ff, activation: "swiglu", bias: false };
          return forward(sqrtdk.feed_forward(config), x, d_model);
        }),
      logits: () => [linear(vocab)],
    };
  }

  function token({ sizes, tokens }, small) {
    const model = sqrtdk.load_llama2c(small ? syntheticModel({ ...sizes, ...smallest }) : file);
    return () => model.generate([1], { steps: tokens });
  }

  function runOf(workload, variant) {
    const [name, small] = [variant.replace(ending, ""), variant.endsWith(ending)];
    if (name === "token") return token(workload, small);
    const own = { ...workload.sizes, past: workload.tokens / 2 };
    const calls = operators(small ? { ...own, ...smallest, past: 1 } : own)[name]();
    return () => calls.forEach((call) => call());
  }

  const runs = new Map(); // by variant
  return {
    variants: ({ sizes }) =>
      ["token", ...Object.keys(operators({ ...sizes, past: 1 }))].flatMap((name) => [name, name + ending]),
    prepare(workload, _, variant) {
      if (!runs.has(variant)) runs.set(variant, runOf(workload, variant));
      return { run: runs.get(variant) };
    },
  };
}
