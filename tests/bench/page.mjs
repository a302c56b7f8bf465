// In the page: runs one library (an adapter), compares its results with the reference, and takes samples.
import { inputsOf } from "./inputs.mjs";
import { median } from "./median.mjs";

// Every memory that is made or exported, for wasmBytes.
const memories = new Set();
const remember = (instance) => {
  for (const value of Object.values(instance.exports)) {
    if (value instanceof WebAssembly.Memory) memories.add(value);
  }
  return instance;
};
WebAssembly.Memory = new Proxy(WebAssembly.Memory, {
  construct(target, args) {
    const memory = new target(...args);
    memories.add(memory);
    return memory;
  },
});
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct: (target, args) => remember(new target(...args)),
});
for (const name of ["instantiate", "instantiateStreaming"]) {
  const original = WebAssembly[name];
  WebAssembly[name] = async (...args) => {
    const result = await original.apply(WebAssembly, args);
    remember(result.instance ?? result);
    return result;
  };
}

let library;
let job;

globalThis.bench = {
  async load(name) {
    const [adapter, threads = 1] = name.split(" x");
    const { create } = await import(`./adapters/${adapter}.mjs`);
    library = await create(Number(threads));
  },
  variants: (workload) => library.variants(workload),
  wasmBytes: () => [...memories].reduce((bytes, { buffer }) => bytes + buffer.byteLength, 0),

  async prepare(workload, variant) {
    job = undefined;
    job = { calls: workload.steps ?? 1, ...(await library.prepare(workload, inputsOf(workload), variant)) };
    await job.run();
  },

  /** Largest difference of the result (of training: of the next losses) from the reference, and as a share of the largest value. */
  async error({ path, step, width }) {
    const expected = new Float64Array(await (await fetch(path)).arrayBuffer());
    const result = [];
    for (let call = 0; call < job.calls; call++) result.push(...[await job.run()].flat());
    const got = new Float32Array(result.reduce((length, part) => length + part.length, 0));
    result.reduce((at, part) => (got.set(part, at), at + part.length), 0);
    const rows = got.length / width;
    if (Math.ceil(rows / step) * width !== expected.length) throw new Error(`${got.length} numbers`);
    let [absolute, largest] = [0, 0];
    expected.forEach((value, at) => {
      const row = Math.floor(at / width) * step;
      const difference = Math.abs(got[row * width + (at % width)] - value);
      if (!(difference <= absolute)) absolute = Number.isNaN(difference) ? Infinity : difference;
      largest = Math.max(largest, Math.abs(value));
    });
    return { absolute, relative: absolute / largest };
  },

  /** { median, min } of the milliseconds per call: warms up, then measures loops of 5 ms or longer for `budget` ms. */
  async sample(budget) {
    const { run } = job;
    const loop = async (calls) => {
      const start = performance.now();
      for (let call = 0; call < calls; call++) {
        const result = run();
        if (result instanceof Promise) await result;
      }
      return (performance.now() - start) / calls;
    };
    let once = await loop(1);
    for (const end = performance.now() + 50; performance.now() < end;) once = await loop(1);
    const calls = Math.max(1, Math.ceil(5 / Math.max(once, 1e-3)));
    const least = once > 500 ? 1 : 3;
    const times = [];
    for (const end = performance.now() + budget; performance.now() < end || times.length < least;) {
      times.push(await loop(calls));
    }
    return { median: median(times), min: Math.min(...times) };
  },

  async release() {
    await job?.dispose?.();
    job = undefined;
  },
};
