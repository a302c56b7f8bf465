// All operators. Inputs are tensors or {data, shape}, results are tensors; shapes are checked in C++.
import { makeAttentionKernels } from "./attention.ts";
import type { AttentionKernels } from "./attention.ts";
import { makeMatrixKernels } from "./matrix.ts";
import type { MatrixKernels } from "./matrix.ts";
import { makeOtherAttentionKernels } from "./other_attention.ts";
import type { OtherAttentionKernels } from "./other_attention.ts";
import { makeRowKernels } from "./rows.ts";
import type { RowKernels } from "./rows.ts";
import type { TensorMemory } from "./tensor.ts";

export interface Kernels extends AttentionKernels, OtherAttentionKernels, MatrixKernels, RowKernels {}

export function makeKernels(memory: TensorMemory): Kernels {
  return {
    ...makeAttentionKernels(memory),
    ...makeOtherAttentionKernels(memory),
    ...makeMatrixKernels(memory),
    ...makeRowKernels(memory),
  };
}
