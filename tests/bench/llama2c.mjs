// llama2.c's files of weights: seven 32-bit numbers, then float32 matrices (github.com/karpathy/llama2.c, run.c).

const stories260K = {
  d_model: 64,
  d_ff: 172,
  n_layers: 5,
  n_heads: 8,
  n_kv_heads: 4,
  vocab: 512,
  context: 512,
};
const names = Object.keys(stories260K);
const header = 4 * names.length;

/** The sizes that a file begins with; throws where the rest of it has another length. */
export function sizesOf(bytes) {
  if (bytes.length < header) throw new Error("not a file of llama2.c's: too short");
  const numbers = new DataView(bytes.buffer, bytes.byteOffset);
  const given = Object.fromEntries(names.map((name, i) => [name, numbers.getInt32(4 * i, true)]));
  const sizes = { ...given, vocab: Math.abs(given.vocab) }; // negative: the output layer is not the embedding
  const wanted = header + 4 * (floatsOf(sizes) + (given.vocab < 0 ? sizes.vocab * sizes.d_model : 0));
  if (Object.values(sizes).some((size) => size < 1) || bytes.length !== wanted)
    throw new Error(`not a file of llama2.c's: ${bytes.length} bytes do not fit ${JSON.stringify(sizes)}`);
  return sizes;
}

/** A file with weights that mean nothing; the sizes are stories260K's but for those that are given. */
export function syntheticModel(given = {}) {
  const sizes = { ...stories260K, ...given };
  const bytes = new Uint8Array(header + 4 * floatsOf(sizes));
  new Int32Array(bytes.buffer, 0, names.length).set(names.map((name) => sizes[name]));
  const weights = new Float32Array(bytes.buffer, header);
  weights.forEach((_, i) => (weights[i] = Math.sin(i) / 4));
  return bytes;
}

function floatsOf({ d_model, d_ff, n_layers, n_heads, n_kv_heads, vocab, context }) {
  const d_head = d_model / n_heads;
  const attention = 2 * d_model ** 2 + 2 * d_model * n_kv_heads * d_head;
  const layer = attention + 3 * d_model * d_ff;
  const norms = (2 * n_layers + 1) * d_model;
  const tables = context * d_head; // of cos and sin, unused
  return vocab * d_model + n_layers * layer + norms + tables;
}
