// Parameters as libraries want them.

/** `count` rows from `first` on; all by default. */
export function rowsOf({ data, shape }, first = 0, count = shape[0]) {
  const width = data.length / shape[0];
  return { data: data.slice(first * width, (first + count) * width), shape: [count, ...shape.slice(1)] };
}

/** A weight of PyTorch's, [n_out, n_in], as [n_in, n_out]. */
export function transposed({ data, shape: [n_out, n_in] }) {
  const turned = Float32Array.from(data, (_, at) => data[(at % n_out) * n_in + Math.floor(at / n_out)]);
  return { data: turned, shape: [n_in, n_out] };
}

/** The inputs, with the weights of linear layers transposed: of tables, not. */
export function forProducts(inputs) {
  const projection = /(proj_weight|proj\.weight|linear\d\.weight|head\.weight)$/;
  const entries = Object.entries(inputs).map(([name, tensor]) => [
    name,
    projection.test(name) ? transposed(tensor) : tensor,
  ]);
  return Object.fromEntries(entries);
}

/** [n_q, n_k] that is added to scores: 0, and for keys after the query `hidden`. */
export function causalMask(n_q, n_k, hidden = -1e30) {
  const data = Float32Array.from({ length: n_q * n_k }, (_, at) =>
    at % n_k > Math.floor(at / n_k) ? hidden : 0,
  );
  return { data, shape: [n_q, n_k] };
}

/** Splits each sequence of n + 1 tokens into what a model is given, and what it should say. */
export function shifted({ batch, n }, { data }) {
  const from = (shift) =>
    Int32Array.from({ length: batch * n }, (_, i) => data[Math.floor(i / n) * (n + 1) + (i % n) + shift]);
  return { ids: from(0), targets: from(1) };
}

/** A safetensors file with other numbers in the tensors that are named; it must hold all of them. */
export function withWeights(file, weights) {
  const bytes = Uint8Array.from(file);
  const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  for (const [name, { data }] of Object.entries(weights)) {
    const [start, end] = header[name].data_offsets;
    if (end - start !== data.byteLength)
      throw new Error(`${name}: ${end - start} bytes, not ${data.byteLength}`);
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), 8 + length + start);
  }
  return bytes;
}
