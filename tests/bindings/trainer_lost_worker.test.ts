// Trainers whose worker dies, or never was: the bits of this thread's all the same.
import { describe, expect, it, vi } from "vitest";
import type { WorkerTrainer } from "../../bindings/entry/full.ts";
import { NodeWorker, opened } from "./node_worker.ts";
import { small } from "./small_trainer.ts";
import {
  api,
  forever,
  freshWorkers,
  here,
  last,
  loadAnew,
  reason,
  typed,
  wait,
  worker,
} from "./trainer_workers.ts";

freshWorkers();

/** Runs a trainer, and calls `at` once when it has come to a step. */
async function run(trainer: WorkerTrainer, until: number, recordEvery: number, step: number, at: () => void) {
  const rows: Float64Array[] = [];
  let done = false;
  const result = await trainer.run(
    { until },
    {
      recordEvery,
      examples: 8,
      onRecord: (row) => rows.push(row),
      onStep: (seen) => {
        if (done || seen.step < step) return;
        done = true;
        at();
      },
    },
  );
  return { rows, result, hash: await trainer.weightHash() };
}

describe("a worker that is lost", () => {
  it("is replaced: the run goes on, the bits are the same, each record comes once", async () => {
    const plain = await here(900, 100);
    const trainer = await worker.train.trainer(small);
    let told = 0;
    trainer.onRestart = (restarts) => (told = restarts);
    const result = await run(trainer, 900, 100, 100, () => last.crash());
    expect(result).toEqual({ rows: plain.rows, result: plain.result, hash: plain.hash });
    expect([trainer.restarts, told, opened.count]).toEqual([1, 1, 2]);
  });

  it("is replaced from its checkpoint, with a rate that was changed", async () => {
    const plain = (await api.load()).train.trainer(small);
    plain.run(1);
    plain.learningRate = 0.01;
    plain.run(20);
    const trainer = await worker.train.trainer(small);
    await trainer.step();
    await trainer.setLearningRate(0.01);
    await trainer.run(10);
    last.crash(); // while nothing is asked of it
    await trainer.run(10);
    expect(trainer.restarts).toBe(1);
    expect(await trainer.weightHash()).toBe(plain.weightHash());
    await trainer.restore(plain.checkpoint());
    last.crash();
    expect(await trainer.step()).toEqual(plain.step());
  });

  it("is noticed by its silence", async () => {
    const plain = await here(1000);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    const trainer = await worker.train.trainer(small);
    await trainer.run(50);
    const running = trainer.run({ until: 1000 });
    await last.die();
    for (let i = 0; i < 12; ++i) vi.advanceTimersByTime(500);
    vi.useRealTimers();
    expect(await running).toEqual(plain.result);
    expect(await trainer.weightHash()).toBe(plain.hash);
    expect(trainer.restarts).toBe(1);
  });

  it("is not missed while this thread slept", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const trainer = await worker.train.trainer(small);
    await trainer.run(50);
    const controller = new AbortController();
    const running = reason(trainer.run(forever, { signal: controller.signal }));
    const later = performance.now() + 3600_000;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => later);
    vi.advanceTimersByTime(500);
    expect(trainer.restarts).toBe(0);
    clock.mockRestore();
    vi.useRealTimers();
    controller.abort();
    await running;
  });

  it("takes all trainers along, and calls that wait", async () => {
    const plain = await here(400);
    const first = await worker.train.trainer(small);
    const second = await worker.train.trainer(small, { beside: first });
    const both = [first.run(400), second.run(400)];
    await wait(30);
    const waiting = second.answers(1);
    last.crash();
    expect(await Promise.all(both)).toEqual([plain.result, plain.result]);
    expect((await waiting).length).toBe(1);
    expect([await first.weightHash(), await second.weightHash()]).toEqual([plain.hash, plain.hash]);
    expect([first.restarts, second.restarts]).toEqual([1, 1]);
  });

  it("is given up where it always ends, and tried again when asked", async () => {
    const trainer = await worker.train.trainer(small);
    await trainer.run(3);
    let crashes = true;
    const { prototype } = NodeWorker;
    const post = vi.spyOn(prototype, "postMessage").mockImplementation(function (this: NodeWorker, message) {
      if (crashes && !("module" in (message as object))) setTimeout(() => this.crash());
      this.thread.postMessage(message);
    });
    const error = await typed(trainer.run(forever));
    expect(error).toMatchObject({ name: "WorkerError", code: "worker_failed", got: "boom" });
    crashes = false;
    expect((await trainer.step()).step).toBe(4);
    expect(await trainer.weightHash()).toBe((await here(4)).hash);
    post.mockRestore();
  });
});

describe("without workers", () => {
  const forbidden = (): never => {
    throw new Error("forbidden by policy");
  };
  it.each([
    ["are forbidden", forbidden],
    ["cannot start", () => new NodeWorker("throw new Error('no script')")],
  ])("the same goes on here in slices where they %s", async (_, create) => {
    const there = await loadAnew(create);
    const plain = await here(300, 100);
    const trainer = await there.train.trainer(small);
    expect(trainer.inWorker).toBe(false);
    let ticks = 0;
    const clock = setInterval(() => ++ticks, 1);
    expect(await run(trainer, 300, 100, 0, () => undefined)).toEqual({
      rows: plain.rows,
      result: plain.result,
      hash: plain.hash,
    });
    clearInterval(clock);
    expect(ticks).toBeGreaterThan(0);
    const controller = new AbortController();
    const running = reason(trainer.run(forever, { signal: controller.signal }));
    expect((await trainer.answers(1)).length).toBe(1);
    const start = performance.now();
    controller.abort();
    expect(await running).toMatchObject({ name: "AbortError" });
    expect(performance.now() - start).toBeLessThan(50);
    const second = await there.train.trainer(small, { beside: trainer });
    expect(await second.run(300)).toEqual(plain.result);
    trainer.dispose();
    second.dispose();
  });
});
