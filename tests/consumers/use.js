// What every consumer computes; it is the same bits everywhere. `load` is an entry's, in a browser or elsewhere.

/** On this thread. */
export async function useHere(load, options = {}) {
  const sqrtdk = await load(options);
  const q = sqrtdk.random.randn([2, 8], { seed: 1 });
  const { weights } = sqrtdk.ops.attention(q, q, q, { returnWeights: true });
  const numbers = Array.from(weights.toArray());
  sqrtdk.dispose();
  return numbers;
}

/** In a worker, or not at all. */
export async function useBeside(load, options = {}) {
  const sqrtdk = await load({ worker: "required", ...options });
  const q = await sqrtdk.random.randn([2, 8], { seed: 1 });
  const { weights } = await sqrtdk.ops.attention(q, q, q, { returnWeights: true });
  const { inWorker } = sqrtdk;
  sqrtdk.dispose();
  return { inWorker, numbers: Array.from(weights.data) };
}

/** With the entries by name, both ways. */
export async function useAll(entries) {
  const used = {};
  for (const [name, load] of Object.entries(entries)) {
    used[name] = { here: await useHere(load), ...(await useBeside(load)) };
  }
  return used;
}
