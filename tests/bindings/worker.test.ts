// Experiments in workers: whether there are any, their queue, and their end.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DisposedError, LoadError, ValueError, load } from "../../bindings/entry/full.ts";
import type { SqrtdkError, WorkerOption } from "../../bindings/entry/full.ts";
import { NodeWorker, open, opened } from "./node_worker.ts";

const small = { trials: 500 };
const long = { d: 512, trials: 1000000 };

beforeEach(() => {
  opened.count = 0;
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const worker of open) worker.terminate();
});

const start = (worker: WorkerOption = () => new NodeWorker()) => load({ worker });
const reason = (promise: Promise<unknown>): Promise<SqrtdkError> =>
  promise.then(
    () => expect.unreachable("the run went through"),
    (error: unknown) => error as SqrtdkError,
  );
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("experiments in a worker", () => {
  it("give the results of this thread, in a worker that was there before the first", async () => {
    const [here, there] = [await load(), await start()];
    expect(opened.count).toBe(1);
    expect(there.inWorker).toBe(true);
    expect(there.experiments.list()).toEqual(here.experiments.list());
    expect(there.experiments.get("score_variance").work(small)).toBe(
      here.experiments.get("score_variance").work(small),
    );
    for (const { id } of there.experiments.list()) {
      if (here.experiments.get(id).work() > 1e7) continue; // seconds
      expect(await there.experiments.get(id).run({})).toEqual(here.experiments.get(id).run({}));
    }
    expect(opened.count).toBe(1);
  });

  it("stream progress and leave this thread free", async () => {
    const { experiments } = await start();
    let ticks = 0;
    const clock = setInterval(() => ++ticks, 1);
    const shares: number[] = [];
    const onProgress = (share: number): unknown => shares.push(share);
    await experiments.get("softmax_saturation").run({ trials: 20000 }, { onProgress });
    clearInterval(clock);
    expect(shares.length).toBeGreaterThan(1);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(ticks).toBeGreaterThan(5);
  });

  it("reject with typed errors and go on", async () => {
    const { experiments } = await start();
    const error = await reason(experiments.get("score_variance").run({ d: 0 }));
    expect(error).toBeInstanceOf(ValueError);
    const fields = { code: "out_of_range", operator: "score_variance", argument: "d", got: "0" };
    expect(error).toMatchObject(fields);
    expect(await reason(experiments.get("score_variance").run({ seed: 2 ** 60 }))).toBeInstanceOf(ValueError);
    const misspelt = reason(experiments.get("score_variance").run({}, { onProgess: () => 0 } as never));
    expect((await misspelt).message).toContain("did you mean onProgress?");
    expect((await experiments.get("score_variance").run(small)).experiment).toBe("score_variance");
    expect(opened.count).toBe(1);
  });

  it("are cancelled at once, and a new worker takes what was waiting", async () => {
    const { run } = (await start()).experiments.get("score_variance");
    const controller = new AbortController();
    const running = reason(run(long, { signal: controller.signal }));
    const waiting = run(small);
    const waitingToo = new AbortController();
    const givenUp = reason(run(small, { signal: waitingToo.signal }));
    await wait(100);
    waitingToo.abort();
    expect(await givenUp).toMatchObject({ name: "AbortError" });
    expect(opened.count).toBe(1);
    const aborted = performance.now();
    controller.abort("enough");
    expect(await running).toBe("enough");
    expect(performance.now() - aborted).toBeLessThan(100);
    expect((await waiting).experiment).toBe("score_variance");
    expect(opened.count).toBe(2);
    expect(await reason(run(small, { signal: controller.signal }))).toBe("enough");
  });

  it("are cancelled where onProgress returns false or throws", async () => {
    const { run } = (await start()).experiments.get("score_variance");
    expect(await reason(run(long, { onProgress: () => false }))).toMatchObject({ name: "AbortError" });
    const mine = new Error("mine");
    const onProgress = (): never => {
      throw mine;
    };
    expect(await reason(run(long, { onProgress }))).toBe(mine);
    expect((await run(small)).experiment).toBe("score_variance");
  });

  it("reject all on dispose, and later", async () => {
    const worker = await start();
    const { run } = worker.experiments.get("score_variance");
    const runs = [reason(run(long)), reason(run(small))];
    worker.dispose();
    worker.dispose();
    for (const error of await Promise.all(runs)) expect(error).toBeInstanceOf(DisposedError);
    expect(open.size).toBe(0);
    expect(await reason(run(small))).toBeInstanceOf(DisposedError);
  });

  it("end with an instance that was never used", async () => {
    (await start()).dispose();
    expect([open.size, opened.count]).toEqual([0, 1]);
  });

  const crash = (): void => {
    for (const opened of [...open]) opened.crash();
  };
  it("begin again in another worker when their own is lost", async () => {
    const { run } = (await start()).experiments.get("score_variance");
    crash(); // before it was used
    const whole = await run(small);
    expect(opened.count).toBe(2);
    const again = run(small);
    crash();
    crash();
    expect(await again).toEqual(whole);
    expect(opened.count).toBe(4);
    crash(); // with nothing to do
    expect(await run(small)).toEqual(whole);
    expect(opened.count).toBe(5);
  });

  it("say when their workers are lost again and again, and go on", async () => {
    const { run } = (await start()).experiments.get("score_variance");
    await run(small);
    const [crashed, next] = [reason(run(long)), run(small)];
    for (let i = 0; i < 3; i++) crash();
    expect(await crashed).toMatchObject({ name: "WorkerError", code: "worker_failed", got: "boom" });
    expect((await next).experiment).toBe("score_variance");
    expect(opened.count).toBe(4);
  });
});

describe("Node's own threads", () => {
  it("take the script beside this one, or the one that is named", async () => {
    const script = new URL("../../build/workers/full.js", import.meta.url);
    const here = (await load()).experiments.get("article_snippet").run();
    for (const worker of [true, "required", script, script.href, { url: script, required: true }] as const) {
      const there = await start(worker);
      expect(there.inWorker).toBe(true);
      let ticks = 0;
      const clock = setInterval(() => ++ticks, 1);
      expect(await there.experiments.get("article_snippet").run()).toEqual(here);
      await there.experiments.get("softmax_saturation").run({ trials: 5000 });
      clearInterval(clock);
      expect(ticks).toBeGreaterThan(2);
      there.dispose();
    }
  });
});

describe("where no worker can be started", () => {
  const forbidden = (): never => {
    throw new Error("forbidden by policy");
  };
  const broken: readonly [string, () => WorkerOption, string][] = [
    ["is forbidden", () => forbidden, "forbidden by policy"],
    ["cannot start", () => () => new NodeWorker("throw new Error('no script')"), "no script"],
    ["has a wrong address", () => new URL("file:///nowhere/worker.js"), "file:///nowhere/worker.js"],
    ["cannot take the module", () => () => new NodeWorker(refusing), "no WebAssembly here"],
  ];
  const refusing = "onmessage = () => postMessage({ kind: 'failed', message: 'no WebAssembly here' })";

  it.each(broken)("because it %s, this thread computes, and says so once", async (_, worker, said) => {
    const warned = vi.spyOn(console, "warn").mockReturnValue();
    const there = await start(worker());
    await start(worker());
    expect(warned.mock.calls).toMatchObject([[expect.stringContaining(said)]]);
    expect(there.inWorker).toBe(false);
    const { experiments } = there;
    expect(await experiments.get("article_snippet").run()).toEqual(
      (await load()).experiments.get("article_snippet").run(),
    );
    const { run } = experiments.get("score_variance");
    expect(await reason(run({ d: 0 }))).toBeInstanceOf(ValueError);
    const controller = new AbortController();
    const waiting = reason(run(long, { signal: controller.signal }));
    controller.abort();
    expect(await waiting).toMatchObject({ name: "AbortError" });
    const shares: number[] = [];
    const enough = (share: number): boolean => shares.push(share) < 3;
    expect(await reason(run(long, { onProgress: enough }))).toMatchObject({ name: "AbortError" });
    expect(shares.length).toBe(3);
    const stopped = reason(run(small));
    there.dispose();
    expect(await stopped).toBeInstanceOf(DisposedError);
  });

  it.each(broken)("because it %s, one that is required is refused", async (_, worker, said) => {
    const given = worker();
    const choice = typeof given === "function" ? { create: given } : { url: given as URL };
    const error = await reason(start({ ...choice, required: true }));
    expect(error).toBeInstanceOf(LoadError);
    expect(error).toMatchObject({ step: "worker", reason: "worker" });
    expect(error.message).toContain(said);
    expect(error.message).toContain("Pass load({ worker })");
    expect(open.size).toBe(0);
  });

  it("says what is wrong with the module first", async () => {
    const warned = vi.spyOn(console, "warn").mockReturnValue();
    for (const worker of [(): NodeWorker => new NodeWorker(), forbidden]) {
      const error = await reason(load({ worker, wasm: new Uint8Array(9) }));
      expect(error).toMatchObject({ name: "LoadError", step: "compile" });
    }
    expect(open.size).toBe(0);
    expect(warned).not.toHaveBeenCalled();
  });

  it("does not wait for a script that never answers", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const loading = reason(start({ create: () => new NodeWorker(";"), required: true }));
    for (let i = 0; i < 100; ++i) {
      await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(1000);
    }
    vi.useRealTimers();
    expect(await loading).toMatchObject({ step: "worker", got: "its script did not answer" });
    expect(open.size).toBe(0);
  });
});
