// Drawing tokens: the options of `generate`, and how often each token comes.
import { beforeAll, describe, expect, it } from "vitest";
import { load } from "../../bindings/entry/full.ts";
import type { GenerateOptions, Sqrtdk } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
let model: InstanceType<Sqrtdk["models"]["LanguageModel"]>;
beforeAll(async () => {
  sqrtdk = await load();
  model = new sqrtdk.models.LanguageModel({
    dModel: 8,
    nHeads: 2,
    vocab: 11,
    context: 40,
    nLayers: 1,
    seed: 2,
  });
});

const prompt = [3, 1, 4];
const made = (options: GenerateOptions): number[] => model.generate(prompt, options);

describe("generate", () => {
  it("draws the same tokens for the same seed, also in parts", () => {
    const options = { temperature: 1.2, topK: 8, topP: 0.95, seed: 7n, steps: 20 };
    const whole = made(options);
    expect(made({ ...options, seed: "7" })).toEqual(whole);
    expect(made({ ...options, seed: 8 })).not.toEqual(whole);
    const first = made({ ...options, steps: 9 });
    expect(whole.slice(0, 9)).toEqual(first);
    expect(model.generate([...prompt, ...first], { ...options, steps: 11 })).toEqual(whole.slice(9));
  });

  it("takes the most likely token where nothing else is left, and without a temperature", () => {
    const greedy = made({ steps: 20 });
    expect(made({ steps: 20, temperature: 0 })).toEqual(greedy);
    expect(made({ steps: 20, temperature: 0, topK: 3, topP: 0.1, seed: 4 })).toEqual(greedy);
    expect(made({ steps: 20, temperature: 3, topK: 1 })).toEqual(greedy);
    expect(made({ steps: 20, temperature: 1, topP: 1e-9 })).toEqual(greedy);
    expect(made({ steps: 20, temperature: 1e-30 })).toEqual(greedy);
  });

  it("draws each token as often as softmax says, within 4.5 standard errors", () => {
    sqrtdk.scope(() => {
      const temperature = 1.5;
      const logits = sqrtdk.ops.slice(model.forward(prompt), { axis: 1, start: -1 });
      const p = sqrtdk.ops.softmax(sqrtdk.ops.div(logits, temperature)).toArray();
      const counts = p.map(() => 0);
      const draws = 8000;
      for (let seed = 0; seed < draws; ++seed) ++counts[made({ temperature, steps: 1, seed })[0]!]!;
      counts.forEach((count, i) => {
        const error = Math.sqrt((p[i]! * (1 - p[i]!)) / draws);
        expect(Math.abs(count / draws - p[i]!), `token ${i}`).toBeLessThan(4.5 * error);
      });
    });
  });

  it.each<[GenerateOptions, object]>([
    [{ temperature: -1 }, { argument: "temperature", got: "-1" }],
    [{ temperature: NaN }, { argument: "temperature", got: "NaN" }],
    [{ temperature: Infinity }, { argument: "temperature" }],
    [{ temperature: "1" as never }, { argument: "temperature", got: "string" }],
    [{ temperature: 1, topK: -1 }, { argument: "topK" }],
    [{ temperature: 1, topK: 1.5 }, { argument: "topK" }],
    [
      { temperature: 1, topP: 0 },
      { argument: "topP", got: "0" },
    ],
    [{ temperature: 1, topP: 1.1 }, { argument: "topP" }],
    [{ temperature: 1, topP: NaN }, { argument: "topP" }],
    [{ temperature: 1, seed: -1 }, { argument: "seed" }],
    [{ topP: 0.9 }, { argument: "temperature", expected: "a number, for tokens that topP concerns" }],
    [{ seed: 3 }, { argument: "temperature", got: "none" }],
  ])("refuses %j", (options, fields) => {
    expect(thrown(() => made(options))).toMatchObject({
      name: "ValueError",
      operator: "generate",
      ...fields,
    });
  });
});
