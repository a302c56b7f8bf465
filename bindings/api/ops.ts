// All operators. Inputs are tensors or plain numbers, results are tensors; shapes are checked in C++.
import { makeAttentionOps, scoreNames } from "./attention.ts";
import type { AttentionOps } from "./attention.ts";
import { withCheckedOptions } from "./checked_options.ts";
import type { OptionNames } from "./checked_options.ts";
import { makeMatrixOps } from "./matrix.ts";
import type { MatrixOps } from "./matrix.ts";
import { makeOtherAttentionOps } from "./other_attention.ts";
import type { OtherAttentionOps } from "./other_attention.ts";
import { lossNames, makeRowOps } from "./rows.ts";
import type { RowOps } from "./rows.ts";
import type { TensorMemory } from "./tensor.ts";
import { makeTensorOps } from "./tensor_ops.ts";
import type { TensorOps } from "./tensor_ops.ts";

/** All operators, forward and backward. */
export interface Ops extends AttentionOps, OtherAttentionOps, MatrixOps, RowOps, TensorOps {}

const out = { out: 1 } as const;

const options: OptionNames<Ops> = {
  attention: [3, { ...scoreNames, ...out, returnWeights: 1, returnStats: 1 }],
  attentionBackward: [5, scoreNames],
  additiveAttention: [4, { mask: 1, form: 1 }],
  additiveAttentionBackward: [6, { mask: 1 }],
  cosineAttention: [4, { mask: 1 }],
  cosineAttentionBackward: [6, { mask: 1 }],
  matmul: [2, { ...out, transposeA: 1, transposeB: 1, bias: 1 }],
  packMatrix: [1, { transposeB: 1 }],
  roundTo: [2, out],
  matmulInFormat: [2, { format: 1, accumulate: 1, transposeA: 1, transposeB: 1 }],
  embedding: [2, out],
  rotary: [3, { ...out, positions: 1, pairs: 1 }],
  rotaryBackward: [3, { ...out, positions: 1, pairs: 1 }],
  positionalEncoding: [2, { base: 1 }],
  softmax: [1, out],
  softmaxBackward: [2, out],
  logSoftmax: [1, out],
  logSoftmaxBackward: [2, out],
  activation: [2, out],
  activationBackward: [3, out],
  layerNorm: [1, { ...out, gain: 1, bias: 1, epsilon: 1, returnStats: 1 }],
  layerNormBackward: [3, { gain: 1 }],
  rmsNorm: [1, { ...out, gain: 1, epsilon: 1, returnStats: 1 }],
  rmsNormBackward: [3, { gain: 1 }],
  crossEntropy: [2, lossNames],
  crossEntropyBackward: [3, lossNames],
  dropout: [2, { ...out, seed: 1, stream: 1 }],
  dropoutBackward: [2, { ...out, seed: 1, stream: 1 }],
  zeros: [1, out],
  ones: [1, out],
  full: [2, out],
  reshape: [2, out],
  slice: [3, { ...out, steps: 1 }],
  transpose: [2, out],
  concat: [2, out],
  add: [2, out],
  sub: [2, out],
  mul: [2, out],
  div: [2, out],
  sum: [2, { ...out, keepDims: 1 }],
  mean: [2, { ...out, keepDims: 1 }],
};

export function makeOps(memory: TensorMemory): Ops {
  const ops = {
    ...makeAttentionOps(memory),
    ...makeOtherAttentionOps(memory),
    ...makeMatrixOps(memory),
    ...makeRowOps(memory),
    ...makeTensorOps(memory),
  };
  return withCheckedOptions<Ops>(ops, options);
}
