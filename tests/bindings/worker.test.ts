// The worker's protocol.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type * as Api from "../../bindings/entry/full.ts";
import type { SqrtdkWorker } from "../../bindings/entry/full.ts";
import { NodeWorker, open, opened, source } from "./node_worker.ts";

const small = { trials: 500 };
const long = { d: 512, trials: 1000000 };

let api: typeof Api;
beforeEach(async () => {
  vi.resetModules();
  api = await import("../../bindings/entry/full.ts");
  opened.count = 0;
});
afterEach(() => {
  for (const worker of open) worker.terminate();
});

const start = (worker: Api.WorkerLoadOptions["worker"] = () => new NodeWorker()): Promise<SqrtdkWorker> =>
  api.load({ worker });
const reason = (promise: Promise<unknown>): Promise<Api.SqrtdkError> =>
  promise.then(
    () => expect.unreachable("the run went through"),
    (error: unknown) => error as Api.SqrtdkError,
  );

describe("worker", () => {
  it("gives the results of the main thread, and starts at the first run", async () => {
    const [here, there] = [await api.load(), await start()];
    expect(await start()).toBe(there);
    expect(there.experiments()).toEqual(here.experiments());
    expect(there.experiment("score_variance").work(small)).toBe(
      here.experiment("score_variance").work(small),
    );
    expect(opened.count).toBe(0);
    for (const { id } of there.experiments()) {
      if (here.experiment(id).work() > 1e7) continue; // seconds
      expect(await there.experiment(id).run({})).toEqual(here.experiment(id).run({}));
    }
    expect(opened.count).toBe(1);
    expect(there.inWorker).toBe(true);
  });

  it("streams progress and leaves this thread free", async () => {
    const worker = await start();
    let ticks = 0;
    const clock = setInterval(() => ++ticks, 1);
    const shares: number[] = [];
    const onProgress = (share: number): unknown => shares.push(share);
    await worker.experiment("softmax_saturation").run({ trials: 20000 }, { onProgress });
    clearInterval(clock);
    expect(shares.length).toBeGreaterThan(1);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(ticks).toBeGreaterThan(5);
  });

  it("rejects with typed errors and goes on", async () => {
    const worker = await start();
    const error = await reason(worker.experiment("score_variance").run({ d: 0 }));
    expect(error).toBeInstanceOf(api.ValueError);
    expect(error).toMatchObject({
      code: "out_of_range",
      operator: "score_variance",
      argument: "d",
      got: "0",
    });
    const seed = await reason(worker.experiment("score_variance").run({ seed: 2 ** 60 }));
    expect(seed).toBeInstanceOf(api.ValueError);
    expect((await worker.experiment("score_variance").run(small)).experiment).toBe("score_variance");
    expect(opened.count).toBe(1);
  });

  it("cancels at once, and a new worker takes what was waiting", async () => {
    const worker = await start();
    const { run } = worker.experiment("score_variance");
    const controller = new AbortController();
    const running = reason(run(long, { signal: controller.signal }));
    const waiting = run(small);
    const waitingToo = new AbortController();
    const givenUp = reason(run(small, { signal: waitingToo.signal }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    waitingToo.abort();
    expect(await givenUp).toBeInstanceOf(api.Cancelled);
    expect(opened.count).toBe(1);
    const aborted = performance.now();
    controller.abort("enough");
    expect(await running).toMatchObject({ name: "Cancelled", code: "cancelled", cause: "enough" });
    expect(performance.now() - aborted).toBeLessThan(1000);
    expect((await waiting).experiment).toBe("score_variance");
    expect(opened.count).toBe(2);
    expect(await reason(run(small, { signal: controller.signal }))).toBeInstanceOf(api.Cancelled);
  });

  it("cancels where onProgress returns false or throws", async () => {
    const worker = await start();
    const { run } = worker.experiment("score_variance");
    expect(await reason(run(long, { onProgress: () => false }))).toBeInstanceOf(api.Cancelled);
    const mine = new Error("mine");
    const onProgress = (): never => {
      throw mine;
    };
    expect(await reason(run(long, { onProgress }))).toBe(mine);
    expect((await run(small)).experiment).toBe("score_variance");
  });

  it("rejects all runs on terminate, and starts again when needed", async () => {
    const worker = await start();
    const { run } = worker.experiment("score_variance");
    const runs = [reason(run(long)), reason(run(small))];
    worker.terminate();
    for (const error of await Promise.all(runs)) expect(error).toBeInstanceOf(api.Cancelled);
    expect(open.size).toBe(0);
    expect((await run(small)).experiment).toBe("score_variance");
  });

  const crash = (): void => {
    for (const opened of [...open]) opened.crash();
  };
  it("begins a run again in another worker when its own is lost", async () => {
    const worker = await start();
    const { run } = worker.experiment("score_variance");
    const whole = await run(small);
    const again = run(small);
    crash();
    crash();
    expect(await again).toEqual(whole);
    expect(opened.count).toBe(3);
    crash(); // with nothing to do
    expect(await run(small)).toEqual(whole);
    expect(opened.count).toBe(4);
  });

  it("says when a run's workers are lost again and again, and goes on", async () => {
    const worker = await start();
    const { run } = worker.experiment("score_variance");
    await run(small);
    const [crashed, next] = [reason(run(long)), run(small)];
    for (let i = 0; i < 3; i++) crash();
    expect(await crashed).toMatchObject({ name: "WorkerError", code: "worker_failed", got: "boom" });
    expect((await next).experiment).toBe("score_variance");
    expect(opened.count).toBe(4);
  });

  const forbidden = (): never => {
    throw new Error("forbidden by policy");
  };
  it.each([
    ["is forbidden", () => forbidden],
    ["cannot start", () => () => new NodeWorker("throw new Error('no script')")],
    ["does not exist here", () => true as const],
    ["does not exist here, as text", () => ({ source })],
  ])("runs on this thread where a worker %s", async (_, worker) => {
    const there = await start(worker());
    const result = await there.experiment("article_snippet").run();
    expect(result).toEqual((await api.load()).experiment("article_snippet").run());
    expect(there.inWorker).toBe(false);
    const { run } = there.experiment("score_variance");
    expect(await reason(run({ d: 0 }))).toBeInstanceOf(api.ValueError);
    const controller = new AbortController();
    const waiting = reason(run(long, { signal: controller.signal }));
    controller.abort();
    expect(await waiting).toBeInstanceOf(api.Cancelled);
  });
});
