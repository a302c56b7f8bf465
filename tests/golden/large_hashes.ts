// The bits of what is large enough for several threads to share.
import type { Sqrtdk, Tensor } from "../../bindings/entry/full.ts";
import type { bitsHash } from "./bits_hash.ts";

/** It refers to nothing outside itself, so that its text can run in a page. */
export function largeHashes(sqrtdk: Sqrtdk, hashOf: typeof bitsHash): Record<string, string> {
  const hashes: Record<string, string> = {};
  const hash = (name: string, ...tensors: Tensor[]): void => {
    hashes[name] = hashOf(tensors.map((tensor) => tensor.toArray()));
  };
  let stream = 0;
  const draw = (...shape: number[]): Tensor => sqrtdk.random.randn(shape, { seed: 12, stream: ++stream });
  sqrtdk.scope(() => {
    const { ops, nn } = sqrtdk;
    const [a, b, bias] = [draw(203, 300), draw(300, 517), draw(517)];
    hash("matmul", ops.matmul(a, b, { bias }));
    hash("packed", ops.matmul(a, ops.packMatrix(b), { bias }));
    hash("gradient of b", ops.matmul(a, draw(203, 517), { transposeA: true }));
    hash("batches", ops.matmul(draw(5, 64, 70), draw(5, 70, 64)));
    const [q, k, v, dout] = [draw(3, 200, 32), draw(3, 200, 32), draw(3, 200, 32), draw(3, 200, 32)];
    for (const options of [{}, { causal: "top_left" } as const]) {
      const forward = ops.attention(q, k, v, { ...options, returnStats: true });
      const { dq, dk, dv } = ops.attentionBackward(q, k, v, forward, dout, options);
      hash(`attention ${JSON.stringify(options)}`, forward.out, dq, dk, dv);
    }
    hash("one head", ops.attention(draw(1, 500, 32), draw(1, 500, 32), draw(1, 500, 32)));
    hash("decoding", ops.attention(draw(8, 1, 64), draw(8, 900, 64), draw(8, 900, 64)));
    const x = draw(400, 300);
    hash("rows", ops.softmax(x), ops.layerNorm(x), ops.rmsNorm(x), ops.activation("gelu", x));
    const layer = new nn.EncoderLayer({ dModel: 64, nHeads: 4, dFf: 256, seed: 5 });
    const out = layer.forward(draw(2, 100, 64));
    hash("encoder layer", out, layer.backward(draw(2, 100, 64)));
  });
  return hashes;
}
