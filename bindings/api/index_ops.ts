// What people import with the module `ops`, but for `load`: types and errors.
export type {
  AttentionForward,
  AttentionGradients,
  AttentionOps,
  AttentionOptions,
  AttentionResult,
  TiledAttentionResult,
} from "./attention.ts";
export type { Values } from "./listing.ts";
export { PackedMatrix } from "./matrix.ts";
export type { MatmulOptions, MatrixOps, OutOption, RotaryOptions } from "./matrix.ts";
export { LoadError } from "./load_error.ts";
export type { LoadFailure, LoadReason, LoadStep } from "./load_error.ts";
export type { Nested } from "./nested.ts";
export type { Ops } from "./ops.ts";
export type { Random, RandomOptions } from "./random.ts";
export type {
  AdditiveGradients,
  AdditiveOptions,
  AdditiveParameters,
  CosineOptions,
  MaskOption,
  OtherAttentionOps,
  WeightsForward,
} from "./other_attention.ts";
export type {
  CrossEntropy,
  CrossEntropyOptions,
  DropoutOptions,
  GainOption,
  LayerNormOptions,
  LossForward,
  NormForward,
  NormGradients,
  NormOptions,
  Normalized,
  RowOps,
} from "./rows.ts";
export type { Scale, Scales } from "./scale.ts";
export type { Activation, Dtype, Format, ScaleName } from "./signatures.ts";
export type { Ids, Mask, Tensor, TensorLike, TensorView } from "./tensor.ts";
export type { Place, ReduceOptions, SliceOptions, StepsOption, TensorOps } from "./tensor_ops.ts";
export {
  DisposedError,
  FormatError,
  OutOfMemoryError,
  ShapeError,
  SqrtdkError,
  StaleViewError,
  ValueError,
  WorkerError,
} from "./errors.ts";
export type { ErrorFields } from "./errors.ts";
export type * from "./types.ts";
export type { WasmSource } from "./wasm_source.ts";
export type { MemoryUse, WithOps } from "./with_ops.ts";
