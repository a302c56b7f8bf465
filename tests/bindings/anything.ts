// Values that callers without TypeScript may give, often such as have no text and no number.
import fc from "fast-check";

const stubborn: readonly unknown[] = [
  Object.create(null),
  { toString: "" },
  [{ toString: null }],
  Symbol("s"),
  3n,
  new BigInt64Array(2),
  { data: [Object.create(null)], shape: [1] },
  { data: [1], shape: [Object.create(null)] },
  { data: { length: 1 }, shape: [1] },
  { length: -1 },
  ...[null, undefined, NaN, Infinity, -1, 0, 1, 2, 1e9, 2 ** 53, "", "x", true, () => 1],
];

export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...stubborn),
  fc.anything({ withNullPrototype: true, withBigInt: true, withTypedArray: true }),
);
