// Tensors by name, as the arguments of an operator are given.
import type { RawTensor } from "./signature.ts";
import type { Tensor, TensorLike, TensorMemory } from "./tensor.ts";

/** Inputs by name as tensors. */
export function taken<Name extends string>(
  memory: TensorMemory,
  op: string,
  inputs: Readonly<Record<Name, TensorLike>>,
): Readonly<Record<Name, Tensor>> {
  const entries = Object.entries<TensorLike>(inputs).map(([name, input]) => [
    name,
    memory.take(op, name, input),
  ]);
  return Object.fromEntries(entries) as Record<Name, Tensor>;
}

/** New tensors for gradients of their shapes. */
export function likewise<Name extends string>(
  shapes: Readonly<Record<Name, { readonly shape: readonly number[] }>>,
  make: (shape: readonly number[]) => Tensor,
): Record<Name, Tensor> {
  const entries = Object.entries<{ readonly shape: readonly number[] }>(shapes);
  return Object.fromEntries(entries.map(([name, { shape }]) => [name, make(shape)])) as Record<Name, Tensor>;
}

/** Tensors by name as operators take them. */
export function raw<Name extends string>(
  tensors: Readonly<Record<Name, Tensor>>,
): Readonly<Record<Name, RawTensor>> {
  const entries = Object.entries<Tensor>(tensors).map(([name, tensor]) => [name, tensor.raw]);
  return Object.fromEntries(entries) as Record<Name, RawTensor>;
}

/** `out`, or a new tensor, of the shape of the first input, which may be its memory. */
export function shapedLike<Name extends string>(
  memory: TensorMemory,
  op: string,
  inputs: Readonly<Record<Name, TensorLike>>,
  { out }: { readonly out?: Tensor },
  compute: (inputs: Readonly<Record<Name, RawTensor>>, result: RawTensor) => void,
): Tensor {
  return memory.scope(() => {
    const given = taken(memory, op, inputs);
    const [first] = Object.values<Tensor>(given);
    const result = memory.result(op, out, first!.shape);
    compute(raw(given), result.raw);
    return result;
  });
}
