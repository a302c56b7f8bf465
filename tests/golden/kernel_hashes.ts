import type { Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import type { bitsHash } from "./bits_hash.ts";

/**
 * Runs every kernel forward and backward on drawn numbers, with sizes that leave tails, and hashes the bits of all
 * results. It refers to nothing outside itself, so that its text can run in a page.
 */
export function kernelHashes(sqrtdk: Sqrtdk, hashOf: typeof bitsHash): Record<string, string> {
  const hashes: Record<string, string> = {};
  const hash = (name: string, ...tensors: readonly Tensor[]): void => {
    hashes[name] = hashOf(tensors.map(({ data }) => data));
  };
  let stream = 0;
  const draw = (...shape: number[]): Tensor => sqrtdk.randn(shape, { seed: 11, stream: ++stream });
  const all = (results: object): Tensor[] => Object.values(results) as Tensor[];

  sqrtdk.scope(() => {
    const [a, b, bias] = [draw(37, 130), draw(130, 45), draw(45)];
    const turned = (x: Tensor, rows: number, columns: number): Tensor =>
      sqrtdk.tensor(
        Float32Array.from({ length: rows * columns }, (_, i) => x.data[(i % columns) * rows + Math.floor(i / columns)]!),
        [rows, columns],
      );
    const [a_t, b_t] = [turned(a, 130, 37), turned(b, 45, 130)];
    const packed = sqrtdk.pack_matrix(b);
    const products = [
      sqrtdk.matmul(a, b, { bias }),
      sqrtdk.matmul(a_t, b, { bias, transpose_a: true }),
      sqrtdk.matmul(a, b_t, { bias, transpose_b: true }),
      sqrtdk.matmul(a_t, b_t, { bias, transpose_a: true, transpose_b: true }),
      sqrtdk.matmul(a, packed, { bias }),
    ];
    for (const [i, product] of products.entries()) hash(`matmul ${i}`, product);
    for (const rows of [1, 2, 3, 10]) hash(`matmul of ${rows} rows`, sqrtdk.matmul(draw(rows, 130), b));

    const x = draw(9, 71);
    const dy = draw(9, 71);
    for (const scale of [1, 40, 1e30]) {
      const scaled = sqrtdk.tensor(x.data.map((value) => value * scale), x.shape);
      const [p, y] = [sqrtdk.softmax(scaled), sqrtdk.log_softmax(scaled)];
      hash(`softmax ${scale}`, p, sqrtdk.softmax_backward(p, dy));
      hash(`log_softmax ${scale}`, y, sqrtdk.log_softmax_backward(y, dy));
    }
    for (const name of ["relu", "gelu", "gelu_tanh", "silu", "tanh"] as const) {
      hash(name, sqrtdk.activation(name, x), sqrtdk.activation_backward(name, x, dy));
    }
    const [gain, shift] = [draw(71), draw(71)];
    const layer = sqrtdk.layer_norm(x, { gain, bias: shift, return_stats: true });
    hash("layer_norm", ...all(layer), ...all(sqrtdk.layer_norm_backward(x, layer.row_stats, dy, { gain })));
    const rms = sqrtdk.rms_norm(x, { gain, return_stats: true });
    hash("rms_norm", ...all(rms), ...all(sqrtdk.rms_norm_backward(x, rms.row_stats, dy, { gain })));
    const target = { data: [0, 70, 5, -100, 3, 3, 9, 40, 22], shape: [9] };
    const { losses, log_probs } = sqrtdk.cross_entropy(x, target, { label_smoothing: 0.1 });
    hash("cross_entropy", losses, log_probs, sqrtdk.cross_entropy_backward(log_probs, target, 1.5));
    hash("dropout", sqrtdk.dropout(x, 0.3, { seed: 5, stream: 2 }));
    const { cos, sin } = sqrtdk.rotary_table(9, 66);
    for (const pairs of ["halves", "interleaved"] as const) {
      hash(`rotary ${pairs}`, sqrtdk.rotary(x, cos, sin, { pairs }), sqrtdk.rotary_backward(dy, cos, sin, { pairs }));
    }
    const ids = { data: [3, 1, 3, 8], shape: [4] };
    hash("embedding", sqrtdk.embedding(x, ids), sqrtdk.embedding_backward(ids, draw(4, 7), 9));
    for (const format of ["f16", "bf16"] as const) {
      hash(format, sqrtdk.round_to(format, x));
      hash(`${format} sums`, sqrtdk.matmul_in_format(a, b, { format, accumulate: format }));
    }

    const sizes = [
      { n_q: 77, n_k: 203, d_k: 24, d_v: 13 },
      { n_q: 1, n_k: 300, d_k: 64, d_v: 64 },
      { n_q: 5, n_k: 7, d_k: 3, d_v: 2 },
    ];
    for (const { n_q, n_k, d_k, d_v } of sizes) {
      const [q, k, v] = [draw(2, 4, n_q, d_k), draw(2, 2, n_k, d_k), draw(2, 2, n_k, d_v)];
      const dout = draw(2, 4, n_q, d_v);
      const mask = { data: Array.from({ length: n_q * n_k }, (_, i) => (i * 7) % 5 > 0), shape: [n_q, n_k] };
      for (const [kind, options] of Object.entries({
        plain: {},
        causal: { causal: "bottom_right" },
        masked: { mask, bias: draw(n_k), softcap: 5, lengths: { data: [n_k, n_k - 1], shape: [2] } },
      } as const)) {
        const seen = sqrtdk.attention(q, k, v, { ...options, return_weights: true });
        const tiled = sqrtdk.attention(q, k, v, { ...options, return_stats: true });
        const name = `attention ${kind} ${n_q}x${n_k}x${d_k}`;
        hash(name, ...all(seen), ...all(sqrtdk.attention_backward(q, k, v, seen, dout, options)));
        hash(`tiled ${name}`, ...all(tiled), ...all(sqrtdk.attention_backward(q, k, v, tiled, dout, options)));
      }
    }
    const [q, k, values] = [draw(2, 5, 6), draw(2, 7, 6), draw(2, 7, 9)];
    const dout = draw(2, 5, 9);
    const parameters = { w_q: draw(11, 6), w_k: draw(11, 6), v: draw(11), b: draw(11) };
    const additive = sqrtdk.additive_attention(q, k, values, parameters);
    const { weights } = additive;
    const gradients = sqrtdk.additive_attention_backward(q, k, values, parameters, weights, dout);
    hash("additive attention", ...all(additive), ...all(gradients));
    const cosine = sqrtdk.cosine_attention(q, k, values, 7);
    const { dtau, ...others } = sqrtdk.cosine_attention_backward(q, k, values, 7, cosine.weights, dout);
    hash("cosine attention", ...all(cosine), ...all(others), sqrtdk.tensor([dtau], [1]));
    packed.dispose();
  });
  return hashes;
}
