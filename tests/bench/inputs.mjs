// The inputs of workloads.

/**
 * Uniform numbers. An input of whole numbers has `below` instead of scale and offset; with `period`, they are a sequence
 * in which every number occurs, again and again.
 */
export const input = (name, shape, scale = 1, offset = 0) => ({ name, shape, scale, offset });

/** The inputs of a workload: { name: { shape, data } }; the same numbers everywhere. */
export function inputsOf({ inputs }) {
  const entries = inputs.map(({ name, shape, ...range }, index) => {
    const length = shape.reduce((product, n) => product * n, 1);
    const values = range.period ? sequence : range.below ? integers : uniform;
    return [name, { shape, data: values(length, index + 1, range) }];
  });
  return Object.fromEntries(entries);
}

/** Uniform in [offset - scale, offset + scale), from a hash of the index. */
function uniform(length, seed, { scale, offset }) {
  const start = Math.imul(seed, 0x9e3779b9);
  return Float32Array.from({ length }, (_, i) => {
    const unit = Math.fround((hash((i + start) | 0) >>> 8) / 2 ** 23 - 1);
    return Math.fround(unit * Math.fround(scale)) + Math.fround(offset);
  });
}

/** Integers in 0 .. below - 1. */
function integers(length, seed, { below }) {
  const start = Math.imul(seed, 0x9e3779b9);
  return Int32Array.from({ length }, (_, i) => (hash((i + start) | 0) >>> 0) % below);
}

/** A permutation of 0 .. below - 1, from its beginning on after every `period` numbers. */
function sequence(length, seed, { below, period }) {
  const start = Math.imul(seed, 0x9e3779b9);
  const place = (i) => hash((i + start) | 0) >>> 0;
  const order = Array.from({ length: below }, (_, i) => i).sort((a, b) => place(a) - place(b));
  return Int32Array.from({ length }, (_, i) => order[(i % period) % below]);
}

/** A bijection of 32-bit integers ("lowbias32", Wellons, nullprogram.com/blog/2018/07/31). */
function hash(x) {
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}
