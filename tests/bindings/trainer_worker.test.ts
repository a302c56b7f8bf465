// Trainers in workers, and without them: the bits of this thread's, whatever happens to the worker.
import { describe, expect, it } from "vitest";
import type { StepResult, WorkerTrainer } from "../../bindings/entry/full.ts";
import { open, opened } from "./node_worker.ts";
import { small } from "./small_trainer.ts";
import { api, forever, freshWorkers, here, reason, typed, wait, worker } from "./trainer_workers.ts";

freshWorkers();

describe("a trainer in a worker", () => {
  it("gives the bits of this thread, and knows the same", async () => {
    const plain = await here(60, 20);
    const trainer = await worker.train.trainer(small);
    expect(trainer.columns).toEqual(plain.trainer.columns);
    expect(trainer.config).toEqual(plain.trainer.config);
    const { chance, ceiling, nParameters, learningRate } = plain.trainer;
    expect(trainer).toMatchObject({ chance, ceiling, nParameters, learningRate, steps: 0, restarts: 0 });
    expect(trainer.inWorker).toBe(true);
    const rows: Float64Array[] = [];
    const onRecord = (row: Float64Array): unknown => rows.push(row);
    expect(await trainer.run(60, { recordEvery: 20, examples: 8, onRecord })).toEqual(plain.result);
    expect(rows).toEqual(plain.rows);
    expect(trainer.steps).toBe(60);
    expect(await trainer.weightHash()).toBe(plain.hash);
    expect(await trainer.evaluate(8)).toEqual(plain.trainer.evaluate(8));
    expect(await trainer.answers(2, { scale: "none" })).toEqual(plain.trainer.answers(2, { scale: "none" }));
    expect(await trainer.attentionMaps(3)).toEqual(plain.trainer.attentionMaps(3));
    expect(await trainer.record({ examples: 4 })).toEqual(plain.trainer.record({ examples: 4 }));
    const file = await trainer.checkpoint();
    expect(file).toEqual(plain.trainer.checkpoint());
    expect(await trainer.step()).toEqual(plain.trainer.step());
    await trainer.restore(file);
    expect(trainer.steps).toBe(60);
    const other = await worker.train.loadTrainer(file, { beside: trainer });
    expect(await other.step()).toEqual(await trainer.step());
    expect(opened.count).toBe(1);
  });

  it("answers during a run, changes its rate, and leaves this thread free", async () => {
    const trainer = await worker.train.trainer(small);
    const controller = new AbortController();
    let ticks = 0;
    const clock = setInterval(() => ++ticks, 1);
    const shown: number[] = [];
    const onStep = ({ step }: StepResult): unknown => shown.push(step);
    const running = trainer.run(forever, { signal: controller.signal, onStep });
    const aborted = reason(running);
    const asked = performance.now();
    expect((await trainer.answers(2)).length).toBe(2);
    expect((await trainer.attentionMaps()).length).toBe(4);
    await trainer.setLearningRate(1e-4);
    expect(trainer.learningRate).toBe(1e-4);
    expect(performance.now() - asked).toBeLessThan(1500);
    await wait(500);
    clearInterval(clock);
    expect(ticks).toBeGreaterThan(50);
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.length).toBeLessThan(30);
    const file = await trainer.checkpoint();
    for (const call of [() => trainer.step(), () => trainer.run(1), () => trainer.restore(file)]) {
      expect(await typed(call())).toMatchObject({ name: "ValueError", got: "a run under way" });
    }
    const start = performance.now();
    controller.abort("enough");
    expect(await aborted).toBe("enough");
    expect(performance.now() - start).toBeLessThan(50);
    const { step } = await trainer.run(1);
    expect(step).toBe(trainer.steps);
  });

  it("goes on after pauses with the same bits", async () => {
    const plain = await here(900, 30);
    const trainer = await worker.train.trainer(small);
    const rows: Float64Array[] = [];
    for (;;) {
      const controller = new AbortController();
      let reports = 0;
      const options = {
        recordEvery: 30,
        examples: 8,
        signal: controller.signal,
        onRecord: (row: Float64Array): unknown => rows.push(row),
        onStep: (): void => {
          if (++reports > 1) controller.abort(); // while further records are on their way
        },
      };
      const ended = trainer.run({ until: 900 }, options).then(
        () => true,
        (error: unknown) => (error === controller.signal.reason ? false : expect.unreachable(String(error))),
      );
      if (await ended) break;
    }
    expect(rows).toEqual(plain.rows);
    expect(await trainer.weightHash()).toBe(plain.hash);
  });

  it("shares its worker with others, which take turns and go alone", async () => {
    const first = await worker.train.trainer(small);
    const second = await worker.train.trainer({ ...small, seed: 4 }, { beside: first });
    const alone = await worker.train.trainer(small);
    expect(opened.count).toBe(2);
    const meanwhile = typed(first.run(forever));
    await second.run(200);
    expect(first.steps).toBeGreaterThan(0);
    first.dispose();
    first.dispose();
    expect((await meanwhile).name).toBe("DisposedError");
    expect((await typed(first.step())).name).toBe("DisposedError");
    expect((await second.run(5)).step).toBe(205);
    expect([open.size, opened.count]).toEqual([2, 2]);
    second.dispose();
    expect(open.size).toBe(1);
    expect((await alone.step()).step).toBe(1);
    const wrong = worker.train.trainer(small, { beside: {} as WorkerTrainer });
    expect(await typed(wrong)).toMatchObject({ name: "ValueError", argument: "beside" });
  });

  it("refuses invalid orders and stays", async () => {
    expect(await typed(worker.train.trainer({ dModel: -1 }))).toBeInstanceOf(api.SqrtdkError);
    expect(await typed(worker.train.trainer({ dModell: 8 } as never))).toMatchObject({ got: "dModell" });
    expect(await typed(worker.train.trainer({ text: {} } as never))).toBeInstanceOf(api.ValueError);
    expect(await typed(worker.train.loadTrainer(new Uint8Array(9)))).toBeInstanceOf(api.FormatError);
    expect(await typed(worker.train.loadTrainer("no" as never))).toBeInstanceOf(api.ValueError);
    expect(open.size).toBe(0);
    const trainer = await worker.train.trainer(small);
    const wrong = [
      () => trainer.run(-1),
      () => trainer.run((() => 0) as never),
      () => trainer.run(1, { recordEvery: 0.5 }),
      () => trainer.run(1, { onStep: 1 as never }),
      () => trainer.run(1, null as never),
      () => trainer.record(null as never),
      () => trainer.answers(3, { scale: (() => 0) as never }),
      () => trainer.evaluate(0),
      () => trainer.attentionMaps(0, { scale: "2/d" }),
      () => trainer.restore(5 as never),
      () => trainer.setLearningRate(-1),
      () => trainer.setLearningRate("1" as never),
    ];
    for (const call of wrong) expect(await typed(call())).toBeInstanceOf(api.ValueError);
    expect(await typed(trainer.restore(new Uint8Array(9)))).toBeInstanceOf(api.FormatError);
    expect((await trainer.step()).step).toBe(1);
    expect(trainer.restarts).toBe(0);
  });

  it("ends a run whose callback throws or says so", async () => {
    const trainer = await worker.train.trainer(small);
    const mine = new Error("mine");
    const onRecord = (): never => {
      throw mine;
    };
    await expect(trainer.run(forever, { recordEvery: 5, onRecord })).rejects.toBe(mine);
    expect(await reason(trainer.run(forever, { onStep: () => false }))).toMatchObject({ name: "AbortError" });
    const dispose = (): void => trainer.dispose();
    expect((await typed(trainer.run(forever, { recordEvery: 5, onRecord: dispose }))).name).toBe(
      "DisposedError",
    );
    expect(open.size).toBe(0);
  });

  it("reports a gradient that is not finite and keeps what was", async () => {
    const trainer = await worker.train.trainer({
      ...small,
      scale: 1e30,
      optimizer: "sgd",
      learningRate: 1e30,
    });
    const rows: Float64Array[] = [];
    const onRecord = (row: Float64Array): unknown => rows.push(row);
    const error = await typed(trainer.run(99, { recordEvery: 1, onRecord }));
    expect(error).toMatchObject({ name: "ValueError", code: "not_finite" });
    expect(rows.length).toBe(trainer.steps + 1);
  });
});
