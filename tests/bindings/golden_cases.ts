// The cases of tests/conformance/cases (values and gradients that PyTorch computed in double), read in Node.
import { readFileSync, readdirSync } from "node:fs";
import type { Sqrtdk, Values } from "../../bindings/entry/full.ts";

const folder = new URL("../conformance/cases/", import.meta.url);

interface Description {
  readonly name: string;
  readonly op: string;
  readonly attributes: Readonly<Record<string, number | string>>;
  readonly inputs: readonly { readonly name: string; readonly file: string }[];
  readonly outputs: readonly {
    readonly name: string;
    readonly file: string;
    readonly max_abs: number;
    readonly torch_f32_max_abs_err: number;
  }[];
}

export interface GoldenCase {
  readonly name: string;
  readonly op: string;
  readonly attributes: Description["attributes"];
  /** Row-major, with its shape. */
  readonly inputs: ReadonlyMap<string, { data: Float32Array; shape: readonly number[] }>;
  readonly outputs: ReadonlyMap<string, { data: Float32Array; bound: number }>;
}

export const caseNames = readdirSync(folder).sort();

export function readCase(sqrtdk: Sqrtdk, name: string): GoldenCase {
  const read = (file: string): Buffer => readFileSync(new URL(`${name}/${file}`, folder));
  const array = (file: string): Values => sqrtdk.formats.readNpy(read(file));
  const { op, attributes, inputs, outputs } = JSON.parse(read("case.json").toString()) as Description;
  return {
    name,
    op,
    attributes,
    inputs: new Map(
      inputs.map(({ name, file }) => {
        return [name, array(file)];
      }),
    ),
    outputs: new Map(
      outputs.map(({ name, file, max_abs, torch_f32_max_abs_err }) => [
        name,
        { data: array(file).data, bound: 8 * torch_f32_max_abs_err + 2e-6 * max_abs },
      ]),
    ),
  };
}

/** NaN or Infinity, which are below no bound, where lengths or one of two NaN differ. */
export function largestError(got: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (got.length !== expected.length) return Infinity;
  const errors = Array.from(expected, (x, i) => (Object.is(x, got[i]) ? 0 : Math.abs(x - got[i]!)));
  return errors.reduce((a, b) => (b <= a ? a : b), 0);
}
