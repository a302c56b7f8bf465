// What trainers are made from, and what can be seen of them.
import { beforeAll, describe, expect, it } from "vitest";
import { ValueError, load } from "../../bindings/entry/full.ts";
import type { Sqrtdk, Trainer, TrainerConfig } from "../../bindings/entry/full.ts";
import { small } from "./small_trainer.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const make = (options: TrainerConfig = {}): Trainer => sqrtdk.train.trainer({ ...small, ...options });
describe("config", () => {
  it("takes every field in its own type or as text, and says what it is", () => {
    const fields = sqrtdk.train.fields();
    const texts = Object.fromEntries(fields.map((field) => [field.name, field.default]));
    expect(texts).toMatchObject({ task: "sort", dModel: "64", scale: "default", nonFinite: "throw" });
    expect(fields.find(({ name }) => name === "norm")?.expected).toBe("layer, rms");
    const [given, plain] = [sqrtdk.train.trainer(texts), sqrtdk.train.trainer()];
    expect(given.config).toEqual(plain.config);
    expect(Object.keys(given.config)).toEqual(fields.map(({ name }) => name));
    expect(given.weightHash()).toBe(plain.weightHash());
    const typed = make({ normFirst: false, qkNorm: "true", learningRate: 5e-4, seed: 2n ** 64n - 1n });
    expect(typed.config).toMatchObject({
      normFirst: "false",
      qkNorm: "true",
      seed: "18446744073709551615",
    });
    expect(typed.learningRate).toBe(5e-4);
    expect(make({ dHead: undefined } as never).config.dHead).toBe("8");
  });

  it.each([
    ["none", "1"],
    ["1/d", "0.125"],
    ["1/(2*sqrt(d))", "0.176776692"],
    [0.25, "0.25"],
    ["default", "default"],
  ])("scale %s", (scale, text) => {
    expect(make({ scale }).config.scale).toBe(text);
  });

  it("knows learned and cosine scales", () => {
    expect(make({ scale: "learned" }).config.learnedScale).toBe("true");
    expect(Object.keys(make({ scale: "learned" }).stateDict())).toContain("layers.0.self_attn.scale");
    expect(make({ scale: "cosine" }).config.cosine).toBe("true");
  });

  it.each([
    [{ dModell: 8 }, "unknown_name", "options", "dModell"],
    [{ dModel: 1.5 }, "not_a_number", "dModel", "1.5"],
    [{ dModel: NaN }, "not_a_number", "dModel", "NaN"],
    [{ learningRate: Infinity }, "not_a_number", "learningRate", "Infinity"],
    [{ norm: "batch" }, "not_a_choice", "norm", "batch"],
    [{ normFirst: 1 }, "not_a_choice", "normFirst", "1"],
    [{ scale: "2/d" }, "not_a_choice", "scale", "2/d"],
    [{ scale: [1] }, "unsupported", "scale", "array"],
    [{ text: () => "" }, "unsupported", "text", "function"],
    [{ seed: -1 }, "out_of_range", "seed", "-1"],
    [{ seed: 2 ** 60 }, "out_of_range", "seed", String(2 ** 60)],
    [{ batch: 0 }, "out_of_range", "batch", "0"],
    [{ batch: 1e9 }, "out_of_range", "batch", "1000000000"],
    [{ task: "chess" }, "unknown_name", "task", "chess"],
    [{ length: -3 }, "out_of_range", "length", "-3"],
    [{ nHeads: 0 }, undefined, undefined, undefined],
    [{ nLayers: -1 }, undefined, undefined, undefined],
    [{ dModel: 3, nHeads: 2 }, undefined, undefined, undefined],
    [{ dropout: 2 }, undefined, undefined, undefined],
    [{ dModel: 1e15 }, undefined, undefined, undefined],
    [{ dFf: 2 ** 40 }, undefined, undefined, undefined],
  ])("refuses %o by name", (wrong, code, argument, got) => {
    const error = thrown(() => make(wrong as TrainerConfig));
    expect(["ValueError", "ShapeError", "OutOfMemoryError"]).toContain(error.name);
    if (code) expect(error).toMatchObject({ name: "ValueError", code, argument, got });
  });

  it.each([null, 5, "sort"])("refuses %o as options", (options) => {
    expect(thrown(() => sqrtdk.train.trainer(options as never))).toBeInstanceOf(ValueError);
  });
});

describe("looks", () => {
  it("shows answers token by token, and attention with the tokens' names", () => {
    const trainer = make();
    const answers = trainer.answers(3, { first: 1 });
    expect(answers.length).toBe(3);
    for (const { source, expected, answer } of answers) {
      expect([source.length, expected.length, answer.length]).toEqual([4, 4, 4]);
      expect([...source].sort()).toEqual(expected);
    }
    expect(trainer.answers(1, { first: 3 })).toEqual(answers.slice(2));
    expect(trainer.answers(0)).toEqual([]);
    const maps = trainer.attentionMaps(1);
    expect(maps.map(({ attention, head }) => `${attention}.${head}`)).toEqual(
      [0, 0, 1, 1].map((layer, i) => `layers.${layer}.self_attn.${i % 2}`),
    );
    for (const { nQ, nK, weights, queries, keys } of maps) {
      expect([nQ, nK, weights.length, queries.length, keys.length]).toEqual([4, 4, 16, 4, 4]);
      expect(queries).toEqual(answers[0]?.source);
      for (let q = 0; q < 4; ++q) {
        const row = weights.subarray(4 * q, 4 * q + 4);
        expect(row.reduce((sum, p) => sum + p)).toBeCloseTo(1, 5);
      }
    }
  });

  it("takes another scale, and is the model's own where that is said", () => {
    const trainer = make({ scale: "none" });
    trainer.run(5);
    const own = trainer.evaluate(32);
    expect(trainer.evaluate(32, { scale: "none" })).toEqual(own);
    expect(trainer.evaluate(32, { scale: 1 })).toEqual(own);
    expect(trainer.evaluate(32, { scale: "default" })).toEqual(own);
    expect(trainer.evaluate(32, { scale: "1/d" })).not.toEqual(own);
    expect(trainer.attentionMaps(0, { scale: 0 })[0]?.weights[3]).toBe(0.25);
    for (const scale of ["learned", "2/d", "", NaN, {}]) {
      const look = (): unknown => trainer.evaluate(4, { scale } as never);
      if (scale === "") expect(look()).toEqual(trainer.evaluate(4));
      else expect(thrown(look)).toMatchObject({ name: "ValueError", argument: "scale" });
    }
  });

  it("knows the reader's own text, of any letters", () => {
    const text = "为什么除以√d? \0 Weil sonst. ".repeat(20);
    const trainer = sqrtdk.train.trainer({
      task: "characters",
      topology: "decoder",
      text,
      length: 8,
      dModel: 16,
    });
    trainer.run(3);
    const [answer] = trainer.answers(1);
    expect(answer?.expected.length).toBe(8);
    expect(text.replaceAll("\0", "\uFFFD")).toContain(answer?.expected.join(""));
    expect(trainer.config.text).toBe(text.replaceAll("\0", "\uFFFD"));
    expect(trainer.chance).toBeLessThan(1);
  });

  it("refuses invalid options, by name", () => {
    const trainer = make();
    const wrong: (() => unknown)[] = [
      () => trainer.evaluate(0),
      () => trainer.evaluate(1.5),
      () => trainer.evaluate(4, null as never),
      () => trainer.answers(-1),
      () => trainer.answers(1e9),
      () => trainer.answers(1, { first: -1 }),
      () => trainer.attentionMaps(-1),
      () => trainer.attentionMaps(1e300),
      () => trainer.record({ examples: 0 }),
      () => trainer.record({ headExamples: 5000 }),
      () => trainer.record(null as never),
      () => trainer.run(-1),
      () => trainer.run(NaN),
      () => trainer.run("5" as never),
      () => trainer.run(null as never),
      () => trainer.run({ until: 2.5 }),
      () => trainer.run({} as never),
      () => trainer.run(5, { recordEvery: -1 }),
      () => trainer.run(5, { onRecord: 5 as never }),
      () => trainer.run(5, { onStep: {} as never }),
      () => trainer.run(5, null as never),
    ];
    const hash = trainer.weightHash();
    for (const call of wrong) expect(thrown(call)).toBeInstanceOf(ValueError);
    expect([trainer.steps, trainer.weightHash()]).toEqual([0, hash]);
  });
});
