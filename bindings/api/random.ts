// Random numbers.
import { withCheckedOptions } from "./checked_options.ts";
import { ValueError } from "./errors.ts";
import { whole } from "./number.ts";
import { seed64 } from "./params.ts";
import * as operators from "./signatures.ts";
import type { Tensor, TensorMemory } from "./tensor.ts";

/** Which numbers of which generator. */
export interface RandomOptions {
  /** Unsigned 64-bit; beyond 2^53 a bigint or decimal text. Default 0. */
  readonly seed?: number | bigint | string;
  /** Independent numbers for one seed (philox only): 0 .. 2^53 - 1. Default 0. */
  readonly stream?: number;
  /**
   * `philox` (default): an element depends on seed, stream and its index only.
   * `torch`: the numbers of PyTorch's CPU generator after `torch.manual_seed(seed)`.
   */
  readonly rng?: "philox" | "torch";
}

/** The same numbers on every machine. */
export interface Random {
  /** Standard normal. Throws `ValueError`, `ShapeError`, `OutOfMemoryError`. */
  randn(shape: readonly number[], options?: RandomOptions): Tensor;

  /** Uniform in [0, 1), multiples of 2^-24. Throws as `randn`. */
  rand(shape: readonly number[], options?: RandomOptions): Tensor;
}

export function makeRandom(memory: TensorMemory): Random {
  const { border } = memory;

  function random(op: string, normal: boolean, shape: readonly number[], options: RandomOptions): Tensor {
    const { seed = 0, stream = 0, rng = "philox" } = options;
    const fields = { operator: op, argument: "rng", got: rng as string };
    if (rng !== "philox" && rng !== "torch") {
      throw new ValueError({ ...fields, code: "not_a_choice", expected: "philox, torch" });
    }
    whole(op, "stream", stream, 0, Number.MAX_SAFE_INTEGER);
    const bits = seed64(op, seed);
    return memory.scope(() => {
      const out = memory.empty(op, shape);
      const given = { seed: bits, normal, out };
      if (rng === "torch") border.call(op, operators.torch, given);
      else border.call(op, operators.philox, { ...given, stream });
      return out;
    });
  }

  const made: Random = {
    randn: (shape, options = {}) => random("randn", true, shape, options),
    rand: (shape, options = {}) => random("rand", false, shape, options),
  };
  const names = { seed: 1, stream: 1, rng: 1 } as const;
  return withCheckedOptions(made, { randn: [1, names], rand: [1, names] });
}
