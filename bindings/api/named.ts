// Tensors by name, as the arguments of an operator are given.
import type { Tensor, TensorLike, TensorMemory } from "./tensor.ts";

type Named<Name extends string, Value> = Readonly<Record<Name, Value>>;

/** Runs at each call: makes no lists of pairs. */
function mapped<Name extends string, From, To>(
  given: Named<Name, From>,
  make: (value: From, name: Name) => To,
): Named<Name, To> {
  const made = {} as Record<Name, To>;
  for (const name of Object.keys(given) as Name[]) made[name] = make(given[name], name);
  return made;
}

/** Inputs by name as tensors. */
export function taken<Name extends string>(
  memory: TensorMemory,
  op: string,
  inputs: Named<Name, TensorLike>,
): Named<Name, Tensor> {
  return mapped(inputs, (input, name) => memory.take(op, name, input));
}

/** New tensors for gradients of their shapes. */
export function likewise<Name extends string>(
  shapes: Named<Name, { readonly shape: readonly number[] }>,
  make: (shape: readonly number[]) => Tensor,
): Named<Name, Tensor> {
  return mapped(shapes, ({ shape }) => make(shape));
}

/** `out`, or a new tensor, of the shape of the first input, which may be its memory. */
export function shapedLike<Name extends string>(
  memory: TensorMemory,
  op: string,
  inputs: Named<Name, TensorLike>,
  { out }: { readonly out?: Tensor },
  compute: (inputs: Named<Name, Tensor>, result: Tensor) => void,
): Tensor {
  return memory.scope(() => {
    const given = taken(memory, op, inputs);
    const [first] = Object.values<Tensor>(given);
    const result = memory.result(op, out, first!.shape);
    compute(given, result);
    return result;
  });
}
