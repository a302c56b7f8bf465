import type { Sqrtdk, Tensor, TiledAttentionResult } from "../../bindings/entry/full.ts";
import type { bitsHash } from "./bits_hash.ts";

/**
 * Runs every kernel forward and backward on drawn numbers, with sizes that leave tails, and hashes the bits of all
 * results. It refers to nothing outside itself, so that its text can run in a page.
 */
export function kernelHashes(sqrtdk: Sqrtdk, hashOf: typeof bitsHash): Record<string, string> {
  const hashes: Record<string, string> = {};
  const hash = (name: string, ...tensors: readonly Tensor[]): void => {
    hashes[name] = hashOf(tensors.map((tensor) => tensor.toArray()));
  };
  let stream = 0;
  const draw = (...shape: number[]): Tensor => sqrtdk.random.randn(shape, { seed: 11, stream: ++stream });
  const all = (results: object): Tensor[] => Object.values(results).filter((value: object) => "toArray" in value) as Tensor[];

  sqrtdk.scope(() => {
    const [a, b, bias] = [draw(37, 130), draw(130, 45), draw(45)];
    const turned = (x: Tensor, rows: number, columns: number): Tensor => {
      const numbers = x.toArray();
      return sqrtdk.tensor(
        Float32Array.from({ length: rows * columns }, (_, i) => numbers[(i % columns) * rows + Math.floor(i / columns)]!),
        [rows, columns],
      );
    };
    const [a_t, b_t] = [turned(a, 130, 37), turned(b, 45, 130)];
    const packed = sqrtdk.ops.packMatrix(b);
    const products = [
      sqrtdk.ops.matmul(a, b, { bias }),
      sqrtdk.ops.matmul(a_t, b, { bias, transposeA: true }),
      sqrtdk.ops.matmul(a, b_t, { bias, transposeB: true }),
      sqrtdk.ops.matmul(a_t, b_t, { bias, transposeA: true, transposeB: true }),
      sqrtdk.ops.matmul(a, packed, { bias }),
    ];
    for (const [i, product] of products.entries()) hash(`matmul ${i}`, product);
    for (const rows of [1, 2, 3, 10]) hash(`matmul of ${rows} rows`, sqrtdk.ops.matmul(draw(rows, 130), b));

    const x = draw(9, 71);
    const dy = draw(9, 71);
    for (const scale of [1, 40, 1e30]) {
      const scaled = sqrtdk.tensor(x.toArray().map((value) => value * scale), x.shape);
      const [p, y] = [sqrtdk.ops.softmax(scaled), sqrtdk.ops.logSoftmax(scaled)];
      hash(`softmax ${scale}`, p, sqrtdk.ops.softmaxBackward(p, dy));
      hash(`log_softmax ${scale}`, y, sqrtdk.ops.logSoftmaxBackward(y, dy));
    }
    for (const name of ["relu", "gelu", "gelu_tanh", "silu", "tanh"] as const) {
      hash(name, sqrtdk.ops.activation(name, x), sqrtdk.ops.activationBackward(name, x, dy));
    }
    const [gain, shift] = [draw(71), draw(71)];
    const layer = sqrtdk.ops.layerNorm(x, { gain, bias: shift, returnStats: true });
    hash("layer_norm", ...all(layer), ...all(sqrtdk.ops.layerNormBackward(x, layer.rowStats, dy, { gain })));
    const rms = sqrtdk.ops.rmsNorm(x, { gain, returnStats: true });
    hash("rms_norm", ...all(rms), ...all(sqrtdk.ops.rmsNormBackward(x, rms.rowStats, dy, { gain })));
    const target = { data: [0, 70, 5, -100, 3, 3, 9, 40, 22], shape: [9] };
    const { losses, logProbs } = sqrtdk.ops.crossEntropy(x, target, { labelSmoothing: 0.1 });
    hash("cross_entropy", losses, logProbs, sqrtdk.ops.crossEntropyBackward(logProbs, target, 1.5));
    hash("dropout", sqrtdk.ops.dropout(x, 0.3, { seed: 5, stream: 2 }));
    const { cos, sin } = sqrtdk.ops.rotaryTable(9, 66);
    for (const pairs of ["halves", "interleaved"] as const) {
      hash(`rotary ${pairs}`, sqrtdk.ops.rotary(x, cos, sin, { pairs }), sqrtdk.ops.rotaryBackward(dy, cos, sin, { pairs }));
    }
    const ids = { data: [3, 1, 3, 8], shape: [4] };
    hash("embedding", sqrtdk.ops.embedding(x, ids), sqrtdk.ops.embeddingBackward(ids, draw(4, 7), 9));
    for (const format of ["f16", "bf16"] as const) {
      hash(format, sqrtdk.ops.roundTo(format, x));
      hash(`${format} sums`, sqrtdk.ops.matmulInFormat(a, b, { format, accumulate: format }));
    }

    const sizes = [
      { nQ: 77, nK: 203, dK: 24, dV: 13 },
      { nQ: 1, nK: 300, dK: 64, dV: 64 },
      { nQ: 5, nK: 7, dK: 3, dV: 2 },
    ];
    for (const { nQ, nK, dK, dV } of sizes) {
      const [q, k, v] = [draw(2, 4, nQ, dK), draw(2, 2, nK, dK), draw(2, 2, nK, dV)];
      const dout = draw(2, 4, nQ, dV);
      const mask = { data: Array.from({ length: nQ * nK }, (_, i) => (i * 7) % 5 > 0), shape: [nQ, nK] };
      for (const [kind, options] of Object.entries({
        plain: {},
        causal: { causal: "bottom_right" },
        masked: { mask, bias: draw(nK), softcap: 5, lengths: { data: [nK, nK - 1], shape: [2] } },
      } as const)) {
        const seen = sqrtdk.ops.attention(q, k, v, { ...options, returnWeights: true });
        const tiled = sqrtdk.ops.attention(q, k, v, { ...options, returnStats: true });
        const name = `attention ${kind} ${nQ}x${nK}x${dK}`;
        hash(name, ...all(seen), ...all(sqrtdk.ops.attentionBackward(q, k, v, seen, dout, options)));
        hash(`tiled ${name}`, ...all(tiled), ...all(sqrtdk.ops.attentionBackward(q, k, v, tiled, dout, options)));
      }
    }
    const [q, k, values] = [draw(2, 5, 6), draw(2, 7, 6), draw(2, 7, 9)];
    const dout = draw(2, 5, 9);
    const parameters = { wQ: draw(11, 6), wK: draw(11, 6), v: draw(11), b: draw(11) };
    const additive = sqrtdk.ops.additiveAttention(q, k, values, parameters);
    const { weights } = additive;
    const gradients = sqrtdk.ops.additiveAttentionBackward(q, k, values, parameters, weights, dout);
    hash("additive attention", ...all(additive), ...all(gradients));
    const cosine = sqrtdk.ops.cosineAttention(q, k, values, 7);
    const { dtau, ...others } = sqrtdk.ops.cosineAttentionBackward(q, k, values, 7, cosine.weights, dout);
    hash("cosine attention", ...all(cosine), ...all(others), sqrtdk.tensor([dtau], [1]));
    packed.dispose();

    for (const kvHeads of [4, 2]) {
      const [q, k, v] = [draw(2, 4, 70, 24), draw(2, kvHeads, 90, 24), draw(2, kvHeads, 90, 13)];
      const options = { scale: [0.3, "1/d", -0.8, "none"], causal: "bottom_right" } as const;
      const dout = draw(2, 4, 70, 13);
      for (const returned of [{ returnWeights: true }, { returnStats: true }] as const) {
        const forward = sqrtdk.ops.attention(q, k, v, { ...options, ...returned }) as TiledAttentionResult;
        const gradients = sqrtdk.ops.attentionBackward(q, k, v, forward, dout, options);
        hash(`scales of ${kvHeads} heads ${Object.keys(returned)[0]!}`, ...all(forward), ...all(gradients));
      }
    }
    const [cube, row, one] = [draw(5, 7, 9), draw(9), draw(7, 1)];
    for (const name of ["add", "sub", "mul", "div"] as const) {
      hash(name, sqrtdk.ops[name](cube, row), sqrtdk.ops[name](one, cube), sqrtdk.ops[name](cube, cube));
    }
    for (const name of ["sum", "mean"] as const) {
      hash(name, ...[0, 1, 2, undefined].map((axis) => sqrtdk.ops[name](cube, axis)));
    }
    hash("transpose", sqrtdk.ops.transpose(cube), sqrtdk.ops.transpose(cube, [2, 0, 1]));
    hash("slice", sqrtdk.ops.slice(cube, [-1, 1], [undefined, 6], { steps: [1, 2, -3] }));
    hash("concat", sqrtdk.ops.concat([cube, sqrtdk.ops.reshape(cube, [5, -1, 9])], 1));
    hash("arange", sqrtdk.ops.arange(0, 50, 0.1), sqrtdk.ops.full([3], 0.1));
  });
  return hashes;
}
