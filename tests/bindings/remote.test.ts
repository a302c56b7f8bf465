// The calls of the API in a worker: the same names, the same bits, and what a worker adds to them.
import { runInNewContext } from "node:vm";
import { setFlagsFromString } from "node:v8";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  DisposedError,
  FormatError,
  ShapeError,
  ValueError,
  WorkerError,
  load,
} from "../../bindings/entry/full.ts";
import type { Instance, Sqrtdk, SqrtdkWorker } from "../../bindings/entry/full.ts";
import { NodeWorker, open } from "./node_worker.ts";

const layerConfig = { dModel: 16, nHeads: 2, dFf: 32, seed: 3 } as const;
const modelConfig = { vocab: 24, context: 64, dModel: 16, nHeads: 2, nLayers: 2, seed: 5 } as const;
const bits = (numbers: ArrayLike<number>): number[] => [
  ...new Uint32Array(Float32Array.from(numbers).buffer),
];
const reason = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("it went through"),
    (error: unknown) => error,
  );
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let here: Sqrtdk & Instance;
let inThread: SqrtdkWorker;
let onThisThread: SqrtdkWorker;
beforeAll(async () => {
  here = await load();
  inThread = await load({ worker: () => new NodeWorker() });
  vi.spyOn(console, "warn").mockReturnValueOnce();
  onThisThread = await load({ worker: new URL("file:///nowhere.js") });
  vi.restoreAllMocks();
});
afterAll(() => {
  for (const one of [here, inThread, onThisThread]) one.dispose();
  expect(open.size).toBe(0);
});
afterEach(() => vi.restoreAllMocks());

describe.each([
  ["in a worker", () => inThread],
  ["where there is no worker", () => onThisThread],
])("calls %s", (_, of) => {
  it("have this thread's names", () => {
    const worker = of();
    for (const part of ["ops", "nn", "models", "random", "formats"] as const) {
      expect(Object.keys(worker[part]).sort()).toEqual(Object.keys(here[part]).sort());
    }
    expect(worker.inWorker).toBe(worker === inThread);
  });

  it("of operators give this thread's bits", async () => {
    const { ops, random } = of();
    const q = here.random.randn([2, 5, 8], { seed: 1 });
    const there = await random.randn([2, 5, 8], { seed: 1 });
    expect(there.shape).toEqual([2, 5, 8]);
    expect(bits(there.data)).toEqual(bits(q.toArray()));
    const seen = await ops.attention(there, there, there, { returnWeights: true, scale: "1/d" });
    const wanted = here.ops.attention(q, q, q, { returnWeights: true, scale: "1/d" });
    expect(bits(seen.out.data)).toEqual(bits(wanted.out.toArray()));
    expect(bits(seen.weights.data)).toEqual(bits(wanted.weights.toArray()));
    const plain = await ops.attention(q, there, there); // a tensor of this thread is copied
    expect(bits(plain.data)).toEqual(bits(here.ops.attention(q, q, q).toArray()));
    const dout = here.random.randn([2, 5, 8], { seed: 2 });
    const gradients = await ops.attentionBackward(there, there, there, seen, dout);
    const { dq, dk, dv } = here.ops.attentionBackward(q, q, q, wanted, dout);
    for (const [name, tensor] of Object.entries({ dq, dk, dv })) {
      expect(bits(gradients[name as "dq"].data)).toEqual(bits(tensor.toArray()));
    }
    const packed = await ops.packMatrix([
      [1, 2],
      [3, 4],
    ]);
    expect((await ops.matmul([[1, 0]], packed)).data).toEqual(Float32Array.of(1, 2));
    packed.dispose();
    expect((await ops.softmax([[0, 0]])).data).toEqual(Float32Array.of(0.5, 0.5));
  });

  it("take options that a boolean decides", async () => {
    const { ops } = of();
    for (const returnWeights of [true, false] as boolean[]) {
      const result = await ops.attention([[1]], [[1]], [[2]], { returnWeights });
      const out = "weights" in result ? result.out : "out" in result ? result.out : result;
      expect(out.data).toEqual(Float32Array.of(2));
      expect("weights" in result).toBe(returnWeights);
    }
  });

  it("of layers give this thread's bits", async () => {
    const worker = of();
    const x = here.random.randn([1, 4, 16], { seed: 4 });
    const layer = new worker.nn.EncoderLayer(layerConfig);
    const local = new here.nn.EncoderLayer(layerConfig);
    expect(layer).toBeInstanceOf(worker.nn.EncoderLayer);
    expect(layer).not.toBeInstanceOf(worker.nn.Linear);
    await layer.ready;
    const out = await layer.forward(x, { explain: true });
    expect(bits(out.data)).toEqual(bits(local.forward(x, { explain: true }).toArray()));
    expect(bits((await layer.backward(out)).data)).toEqual(bits(local.backward(out).toArray()));
    expect(await layer.gradients()).toEqual(local.gradients());
    expect(await layer.intermediates()).toEqual(local.intermediates());
    expect(await layer.parameters).toEqual(local.parameters);
    const other = new worker.nn.EncoderLayer({ ...layerConfig, seed: 9 });
    expect(await other.stateDict()).not.toEqual(await layer.stateDict());
    expect((await other.load(await layer.save())).missingKeys).toEqual([]);
    await other.loadStateDict(await layer.stateDict());
    expect(await other.stateDict()).toEqual(local.stateDict());
    const { weights } = await new worker.nn.MultiHeadAttention({ dModel: 16, nHeads: 2 }).forward(x, x, x, {
      returnWeights: true,
    });
    expect(weights.shape).toEqual([1, 2, 4, 4]);
    layer.dispose();
    layer.dispose();
    expect(layer.disposed).toBe(true);
    const used = await reason(layer.forward(x));
    expect(used).toBeInstanceOf(DisposedError);
    expect(used).toMatchObject({ operator: "EncoderLayer" });
  });

  it("of models give this thread's tokens, and caches live there", async () => {
    const worker = of();
    const model = new worker.models.LanguageModel(modelConfig);
    const local = new here.models.LanguageModel(modelConfig);
    expect(await model.config).toEqual(local.config);
    for (const options of [{}, { temperature: 1, topK: 8, seed: 8 }, { stop: local.generate([1])[5]! }]) {
      const told: number[] = [];
      const onToken = (token: number): unknown => told.push(token);
      const tokens = await model.generate([1, 2], { ...options, onToken });
      expect(tokens).toEqual(local.generate([1, 2], options));
      expect(told).toEqual(tokens);
    }
    expect(await model.nll([1, 2, 3])).toEqual(local.nll([1, 2, 3]));
    const [cache, localCache] = [await model.makeCache(1, 8), local.makeCache(1, 8)];
    expect(await cache.capacity).toBe(8);
    const logits = await model.decode([1, 2, 3], cache);
    expect(bits(logits.data)).toEqual(bits(local.decode([1, 2, 3], localCache).toArray()));
    expect(await cache.length).toBe(3);
    await cache.clear();
    expect(await cache.length).toBe(0);
    cache.dispose();
    expect(await reason(model.decode([1], cache))).toBeInstanceOf(DisposedError);
    expect(await reason(worker.models.loadLlama2c(new Uint8Array(9)))).toBeInstanceOf(FormatError);
  });

  it("of formats read and write", async () => {
    const { formats } = of();
    expect((await formats.readCsv("1,2\n3,4")).shape).toEqual([2, 2]);
    const file = await formats.writeSafetensors({ a: [[1, 2]] });
    expect((await formats.readSafetensors(file)).tensors.a!.shape).toEqual([1, 2]);
  });

  it("reject with this thread's errors", async () => {
    const { ops, nn, formats } = of();
    const shape = await reason(ops.matmul([[1, 2]], [[1, 2]]));
    expect(shape).toBeInstanceOf(ShapeError);
    expect(shape).toMatchObject({ operator: "matmul" });
    expect(await reason(ops.attention([[1]], [[1]], [[1]], { causal: "diagonal" as never }))).toMatchObject({
      name: "ValueError",
      code: "not_a_choice",
      operator: "attention",
      got: "diagonal",
    });
    const misspelt = await reason(ops.attention([[1]], [[1]], [[1]], { returnWeight: true } as never));
    expect((misspelt as Error).message).toContain("did you mean returnWeights?");
    expect(await reason(formats.readNpy(new Uint8Array(3)))).toBeInstanceOf(FormatError);
    const wrong = new nn.EncoderLayer({ dModel: 16, nHeads: 3, dFf: 8 });
    const why = await reason(wrong.forward([[[1]]]));
    expect(why).toBeInstanceOf(ValueError);
    expect(await reason(wrong.ready)).toEqual(why);
    expect(await reason(wrong.stateDict())).toEqual(why);
    wrong.dispose();
    expect(await reason(ops.softmax(Symbol("no") as never))).toMatchObject({
      name: "ValueError",
      operator: "softmax",
    });
  });

  it("let go at once where they are aborted, and drop what comes late", async () => {
    const worker = of();
    const abort = new AbortController();
    const made = reason(worker.models.loadNanoGpt("{}", {}, { signal: abort.signal }));
    const cache = reason(
      new worker.models.LanguageModel(modelConfig).makeCache(1, 4, { signal: abort.signal }),
    );
    const added = reason(worker.ops.softmax([0, 0], { signal: abort.signal }));
    abort.abort("enough");
    expect(await Promise.all([made, cache, added])).toEqual(["enough", "enough", "enough"]);
    expect(await reason(worker.ops.softmax([0, 0], { signal: abort.signal }))).toBe("enough");
    const plain = new AbortController();
    plain.abort();
    expect(await reason(worker.ops.softmax([1], { signal: plain.signal }))).toMatchObject({
      name: "AbortError",
    });
    expect((await worker.ops.softmax([0, 0], { signal: new AbortController().signal })).data).toEqual(
      Float32Array.of(0.5, 0.5),
    );
  });

  it("generate, and are heard between tokens", async () => {
    const worker = of();
    const model = new worker.models.LanguageModel({ ...modelConfig, context: 4096 });
    const abort = new AbortController();
    const told: number[] = [];
    const onToken = (token: number): unknown => told.push(token);
    const running = reason(model.generate([1], { onToken, signal: abort.signal }));
    while (told.length < 3) await wait(1);
    expect((await worker.ops.softmax([0, 0])).data).toEqual(Float32Array.of(0.5, 0.5)); // meanwhile
    expect(told.length).toBeLessThan(4000);
    abort.abort();
    expect(await running).toMatchObject({ name: "AbortError" });
    const count = told.length;
    await worker.ops.softmax([0, 0]);
    expect(told.length).toBe(count);
    let few = 0;
    expect(await reason(model.generate([1], { onToken: () => ++few < 3 }))).toMatchObject({
      name: "AbortError",
    });
    expect(few).toBe(3);
    const mine = new Error("mine");
    const throwing = (): never => {
      throw mine;
    };
    expect(await reason(model.generate([1], { onToken: throwing }))).toBe(mine);
    expect(await reason(model.generate([], {}))).toBeInstanceOf(ValueError);
    expect(await model.generate([1], { steps: 3 })).toEqual(told.slice(0, 3));
  });

  it("copy what they are given, or move it", async () => {
    const { ops } = of();
    const x = { data: Float32Array.of(1, 2), shape: [2] };
    expect((await ops.activation("relu", x)).data).toEqual(Float32Array.of(1, 2));
    expect(x.data.length).toBe(2);
    expect((await ops.activation("relu", x, { transfer: true })).data).toEqual(Float32Array.of(1, 2));
    expect(x.data.length).toBe(0);
  });
});

describe("what lives in a worker", () => {
  it("is given back where the page has forgotten it", async () => {
    setFlagsFromString("--expose_gc");
    const collect = runInNewContext("gc") as () => void;
    const posted = vi.spyOn(NodeWorker.prototype, "postMessage");
    const released = (): number =>
      posted.mock.calls.filter(
        ([message]) => (message as { call?: { kind: string } }).call?.kind === "release",
      ).length;
    const make = async (): Promise<void> => {
      for (let i = 0; i < 50; ++i) await new inThread.nn.Linear({ nIn: 4, nOut: 4 }).ready;
    };
    await make();
    expect(released()).toBeLessThan(50);
    for (let i = 0; i < 200 && released() < 45; ++i) {
      collect();
      await wait(10);
    }
    expect(released()).toBeGreaterThanOrEqual(45);
  });

  it("leaves no tensors behind", async () => {
    const { tensors } = await inThread.memory();
    const x = here.random.randn([1, 4, 16], { seed: 4 });
    const layer = new inThread.nn.EncoderLayer(layerConfig);
    for (let i = 0; i < 5; ++i) await layer.backward(await layer.forward(x));
    await inThread.ops.attention(x, x, x, { returnWeights: true });
    const abort = new AbortController();
    const model = new inThread.models.LanguageModel(modelConfig);
    const { others } = await inThread.memory();
    const given = reason(model.makeCache(1, 4, { signal: abort.signal }));
    abort.abort();
    await given;
    await inThread.memory(); // meanwhile the cache came, and was given back
    expect(await inThread.memory()).toMatchObject({ tensors, others });
    layer.dispose();
    model.dispose();
  });

  it("is lost with it; what is made anew works", async () => {
    let last!: NodeWorker;
    const worker = await load({ worker: () => (last = new NodeWorker()) });
    const layer = new worker.nn.Linear({ nIn: 1, nOut: 1 });
    await layer.ready;
    const running = reason(layer.forward([[1]]));
    last.crash();
    expect(await running).toBeInstanceOf(WorkerError);
    const later = await reason(layer.forward([[1]]));
    expect(later).toBeInstanceOf(WorkerError);
    expect(later).toMatchObject({ operator: "Linear" });
    layer.dispose();
    expect((await new worker.nn.Linear({ nIn: 1, nOut: 1 }).forward([[1]])).shape).toEqual([1, 1]);
    const other = new inThread.models.LanguageModel(modelConfig);
    const model = new worker.models.LanguageModel(modelConfig);
    const cache = await other.makeCache();
    expect(await reason(model.decode([1], cache))).toBeInstanceOf(Error); // another instance's
    const under = reason(model.generate([1]));
    worker.dispose();
    expect(await under).toBeInstanceOf(DisposedError);
    expect(await reason(worker.ops.softmax([1]))).toBeInstanceOf(DisposedError);
    expect(await reason(new worker.nn.Linear({ nIn: 1, nOut: 1 }).ready)).toBeInstanceOf(DisposedError);
    other.dispose();
  });

  it("lets the process end", async () => {
    const refs = vi.spyOn(NodeWorker.prototype, "ref");
    const unrefs = vi.spyOn(NodeWorker.prototype, "unref");
    await inThread.ops.softmax([1]);
    expect(refs).toHaveBeenCalled();
    expect(unrefs).toHaveBeenCalled();
  });
});
