// Trainers on this thread: the same bits in however many pieces, and nothing changed by what fails.
import { beforeAll, describe, expect, it } from "vitest";
import { DisposedError, FormatError, ValueError, load } from "../../bindings/entry/full.ts";
import type { Sqrtdk, StepResult, Trainer, TrainerConfig } from "../../bindings/entry/full.ts";
import { small } from "./small_trainer.ts";
import { raised, thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const make = (options: TrainerConfig = {}): Trainer => sqrtdk.train.trainer({ ...small, ...options });
const at = (trainer: Trainer, row: Float64Array, name: string): number =>
  row[trainer.columns.indexOf(name)] as number;

describe("steps", () => {
  it("are the same bits in any pieces, with records, looks and checkpoints between them", () => {
    const [whole, pieces] = [make(), make()];
    const rows: Float64Array[] = [];
    const last = whole.run(30, { recordEvery: 10, examples: 8, onRecord: (row) => rows.push(row) });
    expect(rows.map((row) => row[0])).toEqual([0, 10, 20, 30]);
    const seen: StepResult[] = [];
    const again: Float64Array[] = [];
    const records = { recordEvery: 10, examples: 8, onRecord: (row: Float64Array) => again.push(row) };
    pieces.run(7, { ...records, onStep: (result) => seen.push(result) });
    for (let i = 0; i < 4; ++i) seen.push(pieces.step()); // over a record
    pieces.evaluate(5);
    pieces.attentionMaps(2);
    const file = pieces.checkpoint();
    pieces.run(3);
    pieces.restore(file);
    expect(pieces.steps).toBe(11);
    expect(at(pieces, pieces.record(), "loss")).toBeNaN(); // of a step that it has not made itself
    const other = sqrtdk.train.loadTrainer(file);
    pieces.dispose();
    expect(other.run({ until: 30 }, records)).toEqual(last);
    expect(seen.map(({ step }) => step)).toEqual(Array.from({ length: 11 }, (_, i) => i + 1));
    expect(again.map((row) => row[0])).toEqual([0, 20, 30]);
    expect(again.slice(1)).toEqual(rows.slice(2));
    expect(other.weightHash()).toBe(whole.weightHash());
    expect(other.weightHash()).toMatch(/^[0-9a-f]{16}$/);
    expect(other.stateDict()).toEqual(whole.stateDict());
    expect(other.checkpoint()).toEqual(whole.checkpoint());
  });

  it("are recorded under the columns' names", () => {
    const trainer = make();
    const first = trainer.record();
    expect(first.length).toBe(trainer.columns.length);
    expect(new Set(trainer.columns).size).toBe(trainer.columns.length);
    expect(at(trainer, first, "loss")).toBeNaN();
    expect(at(trainer, first, "gradient_norm.head")).toBeNaN();
    const { loss, gradientNorm } = trainer.step();
    const row = trainer.record({ examples: 16, headExamples: 4 });
    expect(trainer.record({ examples: 16, headExamples: 4 })).toEqual(row);
    expect(at(trainer, row, "step")).toBe(1);
    expect(at(trainer, row, "loss")).toBe(loss);
    expect(at(trainer, row, "gradient_norm")).toBe(gradientNorm);
    expect(at(trainer, row, "evaluation_loss")).toBe(trainer.evaluate(16).loss);
    expect(at(trainer, row, "entropy.layers.1.self_attn.1")).toBeLessThanOrEqual(Math.log(4));
    expect(at(trainer, row, "dscores_mean.layers.0.self_attn")).toBeGreaterThan(0);
  });

  it("end where they are told to", () => {
    const trainer = make();
    expect(trainer.run(0)).toMatchObject({ step: 0, updated: false });
    trainer.run({ until: 5 });
    expect(trainer.run({ until: 3 }).step).toBe(5);
    const mine = new Error("mine");
    const at_seven = ({ step }: StepResult): void => {
      if (step === 7) throw mine;
    };
    expect(() => trainer.run(9, { onStep: at_seven })).toThrow(mine);
    expect(trainer.steps).toBe(7);
    const until_nine = { onStep: ({ step }: StepResult) => step < 9 };
    expect(raised(() => trainer.run(9, until_nine))).toMatchObject({ name: "AbortError" });
    const controller = new AbortController();
    const onRecord = (): void => controller.abort("enough");
    const aborted = raised(() => trainer.run(9, { recordEvery: 11, onRecord, signal: controller.signal }));
    expect(aborted).toBe("enough");
    expect(trainer.steps).toBe(11);
    expect(raised(() => trainer.run(1, { signal: controller.signal }))).toBe("enough");
    const plain = make();
    plain.run(11);
    expect(trainer.weightHash()).toBe(plain.weightHash());
  });

  it("may be looked at in callbacks, and led back", () => {
    const trainer = make();
    const start = trainer.checkpoint();
    let accuracy = -1;
    trainer.run(4, { recordEvery: 2, onRecord: () => (accuracy = trainer.evaluate(4).tokenAccuracy) });
    expect(accuracy).toBeGreaterThanOrEqual(0);
    const hash = trainer.weightHash();
    let back = 0;
    trainer.restore(start);
    const onStep = ({ step }: StepResult): void => {
      if (step === 2 && back++ === 0) trainer.restore(start);
    };
    trainer.run({ until: 4 }, { onStep });
    expect(trainer.weightHash()).toBe(hash);
  });

  it("go on at another learning rate, which checkpoints keep", () => {
    const trainer = make();
    trainer.run(3);
    trainer.learningRate = 0.5;
    expect(trainer.step().learningRate).toBe(0.5);
    const other = sqrtdk.train.loadTrainer(trainer.checkpoint());
    expect(other.learningRate).toBe(0.5);
    expect(other.step()).toEqual(trainer.step());
    const first = make();
    first.restore(trainer.checkpoint());
    expect(first.learningRate).toBe(0.5);
    for (const wrong of [-1, NaN, Infinity, "0.1", undefined]) {
      expect(thrown(() => (trainer.learningRate = wrong as number)).name).toBe("ValueError");
    }
    expect(trainer.learningRate).toBe(0.5);
  });

  it("throw where a gradient is not finite, or are skipped, and nothing has changed", () => {
    const wild = { scale: 1e30, optimizer: "sgd", learningRate: 1e30 };
    const trainer = make(wild);
    const error = thrown(() => trainer.run(50));
    expect(error).toMatchObject({ name: "ValueError", code: "not_finite" });
    const { steps } = trainer;
    const hash = trainer.weightHash();
    expect(thrown(() => trainer.step()).code).toBe("not_finite");
    expect([trainer.steps, trainer.weightHash()]).toEqual([steps, hash]);
    const skipping = make({ ...wild, nonFinite: "skip" });
    expect(skipping.run(50).updated).toBe(false);
    expect(skipping.steps).toBe(50);
  });
});

describe("checkpoints", () => {
  it("of another kind are refused and change nothing", () => {
    const trainer = make();
    trainer.run(3);
    const [hash, file] = [trainer.weightHash(), trainer.checkpoint()];
    const other = make({ dModel: 8 }).checkpoint();
    const layer = new sqrtdk.nn.Linear({ nIn: 2, nOut: 2 }).save();
    const wrong = [other, layer, file.slice(0, -5), file.slice(0, 40), new Uint8Array(), new Uint8Array(100)];
    for (const bytes of wrong) {
      expect(thrown(() => trainer.restore(bytes))).toBeInstanceOf(FormatError);
      if (bytes !== other) expect(thrown(() => sqrtdk.train.loadTrainer(bytes))).toBeInstanceOf(FormatError);
    }
    for (const bytes of [null, "text", [1, 2], 7]) {
      expect(thrown(() => trainer.restore(bytes as never))).toBeInstanceOf(ValueError);
      expect(thrown(() => sqrtdk.train.loadTrainer(bytes as never))).toBeInstanceOf(ValueError);
    }
    expect([trainer.steps, trainer.weightHash()]).toEqual([3, hash]);
    expect(trainer.checkpoint()).toEqual(file);
  });

  it("survive broken bytes: an error, or numbers, never another state", () => {
    const trainer = make();
    const file = trainer.checkpoint();
    const hash = trainer.weightHash();
    for (let i = 0; i < 3000; i += 29) {
      const broken = file.slice();
      broken[i] = (broken[i] as number) ^ (1 << (i % 8));
      try {
        trainer.restore(broken);
        trainer.restore(file);
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
      }
      expect(trainer.weightHash()).toBe(hash);
    }
  });
});

describe("memory", () => {
  it("is given back, and a trainer that is gone says so", () => {
    const trainer = make();
    trainer.dispose();
    trainer.dispose();
    expect(trainer.disposed).toBe(true);
    for (const use of [
      () => trainer.step(),
      () => trainer.columns,
      () => trainer.config,
      () => trainer.record(),
      () => (trainer.learningRate = 1),
    ]) {
      expect(thrown(use)).toBeInstanceOf(DisposedError);
    }
    const kept = sqrtdk.scope(() => {
      const inner = make();
      return { inner, hash: make().weightHash() };
    });
    expect(kept.inner.weightHash()).toBe(kept.hash);
    const lost = sqrtdk.scope(() => [make()].map((inner) => () => inner.step())[0]);
    expect(thrown(lost as () => unknown)).toBeInstanceOf(DisposedError);
  });

  it("does not grow with steps, records and looks", () => {
    const trainer = make();
    const look = (): void => {
      trainer.record();
      trainer.answers(2);
      trainer.attentionMaps();
      trainer.checkpoint();
    };
    const probe = (): number => {
      const tensor = sqrtdk.tensor(new Float32Array(1 << 18), [1 << 18]);
      const { byteLength } = tensor.view().array.buffer;
      tensor.dispose();
      return byteLength;
    };
    trainer.run(2);
    look();
    const before = probe();
    trainer.run(500);
    for (let i = 0; i < 30; ++i) look();
    for (let i = 0; i < 100; ++i) sqrtdk.train.trainer(small).dispose();
    expect(probe()).toBe(before);
  });
});
