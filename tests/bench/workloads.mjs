// What is measured, as a table. Sizes read rows x columns (x depth) of products, heads x n x d of attention and
// batch x n (x n of the memory) of layers.
//
// A workload: { id, kind, flops or elements, inputs, peers, goals } and the dimensions of its kind. An adapter
// (adapters/) runs a kind; reference.mjs says what is right. `peers: false`: measured for sqrtdk alone.
// `growth`: one of the sizes from which the growth of time and memory is read.
// goals: fresh, reused = largest ratio to the best peer's time, with the result in a new or a reused array;
// peak = smallest share of the multiply-add peak; error = "onnxruntime" (no larger than its); memory = bytes.

import { input } from "./inputs.mjs";
import { decoder, encoder, train } from "./layers.mjs";

const matmul = (m, n, k, goals, kind = "matmul") => ({
  id: `${kind} ${m}x${n}x${k}`,
  kind,
  ...{ m, n, k, goals },
  flops: 2 * m * n * k,
  inputs: [input("a", [m, k]), input("b", [k, n])],
});

/** A product whose `b` is known beforehand (a layer's weights) and may be packed. */
const linear = (m, n, k, goals) => matmul(m, n, k, goals, "linear");

/** Causal attention counts half of the score matrix: the useful work. */
function attention(heads, n_q, d, goals, { n_k = n_q, causal = false, name = "attention", ...rest } = {}) {
  const keys = n_k === n_q ? "" : `:${n_k}`;
  return {
    id: `${name}${causal ? " causal" : ""} ${heads}x${n_q}${keys}x${d}`,
    kind: "attention",
    ...{ heads, n_q, n_k, d, causal, goals },
    flops: (causal ? 0.5 : 1) * 4 * heads * n_q * n_k * d,
    inputs: [input("q", [heads, n_q, d], 2), input("k", [heads, n_k, d], 2), input("v", [heads, n_k, d])],
    ...rest,
  };
}

/** Forward, then gradients of q, k and v: 2 products, and 5 more of which one repeats the scores. */
function attentionBackward(heads, n, d, goals) {
  const forward = attention(heads, n, d, goals, { name: "attention+backward" });
  return {
    ...forward,
    kind: "attention_backward",
    flops: 3.5 * forward.flops,
    inputs: [...forward.inputs, input("dout", [heads, n, d])],
    peers: false,
  };
}

const grow = (n, more = {}) => attention(1, n, 64, undefined, { peers: false, growth: true, ...more });

const rowwise = (kind, rows, columns, goals, inputs) => ({
  id: `${kind} ${rows}x${columns}`,
  kind,
  ...{ rows, columns, goals },
  elements: rows * columns,
  inputs,
});

const character = { n_layers: 2, d_model: 64, n_heads: 4, d_ff: 256, n: 64, batch: 16, vocab: 65 };

const product = { fresh: 0.77 };
const largeProduct = { fresh: 0.77, peak: 0.85 };
const layer = { fresh: 0.86 };
const scaled = (fresh) => ({ fresh, peak: 0.72, error: "onnxruntime" });

export const workloads = [
  matmul(128, 128, 128, product),
  matmul(512, 512, 512, largeProduct),
  matmul(1024, 1024, 1024, largeProduct),
  linear(20, 512, 512, product),
  linear(64, 768, 3072),
  attention(8, 128, 64, scaled(0.7)),
  attention(8, 512, 64, scaled(0.78)),
  attention(8, 1024, 64, scaled(0.8)),
  attention(8, 512, 64, { fresh: 0.4, error: "onnxruntime" }, { causal: true }),
  attention(12, 197, 64),
  attention(4, 333, 80),
  attention(2, 2048, 128),
  attention(16, 50, 32),
  attention(12, 256, 64, undefined, { causal: true }),
  attentionBackward(8, 512, 64, { peak: 0.65 }),
  attention(2, 10, 512, undefined, { name: "attention, 2 sequences of one head,", peers: false }),
  attention(16, 10, 64, undefined, { name: "attention, 2 sequences of 8 heads,", peers: false }),
  attention(8, 1, 64, undefined, { n_k: 4096, name: "decoding", peers: false }),
  rowwise("softmax", 1024, 1024, { reused: 0.37 }, [input("x", [1024, 1024], 4)]),
  rowwise("layer_norm", 512, 512, { reused: 0.12 }, [
    input("x", [512, 512]),
    input("gain", [512], 0.1, 1),
    input("bias", [512], 0.1),
  ]),
  rowwise("gelu", 1024, 1024, { reused: 0.22 }, [input("x", [1024, 1024], 4)]),
  encoder(2, 10, layer),
  encoder(1, 128, layer),
  encoder(1, 512, layer),
  encoder(1, 197, undefined, { d_model: 768, n_heads: 12, d_ff: 3072 }), // of ViT-B
  decoder(2, 10, 10, layer),
  decoder(1, 128, 128, layer),
  train("char", { fresh: 0.3 }, { ...character, text: true }),
  grow(512),
  grow(1024),
  grow(2048),
  attention(1, 4096, 64, scaled(0.8), { growth: true }),
  grow(8192),
  grow(16384, { goals: { memory: 32e6 } }),
];

export const find = (id) => workloads.find((workload) => workload.id === id);
