// All operators. Inputs are tensors or {data, shape}, results are tensors; shapes are checked in C++.
import { makeAttentionKernels } from "./attention.ts";
import type { AttentionKernels } from "./attention.ts";
import { withCheckedOptions } from "./checked_options.ts";
import { makeMatrixKernels } from "./matrix.ts";
import type { MatrixKernels } from "./matrix.ts";
import { makeOtherAttentionKernels } from "./other_attention.ts";
import type { OtherAttentionKernels } from "./other_attention.ts";
import { makeRowKernels } from "./rows.ts";
import type { RowKernels } from "./rows.ts";
import type { TensorMemory } from "./tensor.ts";

/** All operators, forward and backward. */
export interface Kernels extends AttentionKernels, OtherAttentionKernels, MatrixKernels, RowKernels {}

const options = {
  attention: 3,
  attention_backward: 5,
  additive_attention: 4,
  additive_attention_backward: 6,
  cosine_attention: 4,
  cosine_attention_backward: 6,
  matmul: 2,
  pack_matrix: 1,
  round_to: 2,
  matmul_in_format: 2,
  embedding: 2,
  rotary: 3,
  rotary_backward: 3,
  softmax: 1,
  softmax_backward: 2,
  log_softmax: 1,
  log_softmax_backward: 2,
  activation: 2,
  activation_backward: 3,
  layer_norm: 1,
  layer_norm_backward: 3,
  rms_norm: 1,
  rms_norm_backward: 3,
  cross_entropy: 2,
  cross_entropy_backward: 3,
  dropout: 2,
  dropout_backward: 2,
} as const satisfies Partial<Record<keyof Kernels, number>>;

export function makeKernels(memory: TensorMemory): Kernels {
  const kernels = {
    ...makeAttentionKernels(memory),
    ...makeOtherAttentionKernels(memory),
    ...makeMatrixKernels(memory),
    ...makeRowKernels(memory),
  };
  return withCheckedOptions<Kernels>(kernels, options);
}
