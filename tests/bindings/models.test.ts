// Language models: one pass and token by token, the reader's checkpoints, and the trained weights' goldens.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { FormatError, ShapeError, DisposedError, ValueError, load } from "../../bindings/entry/full.ts";
import type { LanguageModel, Sqrtdk, Tensor, Tokenizer } from "../../bindings/entry/full.ts";
import { raised, thrown } from "./thrown.ts";

const weights = new URL(
  `../../${process.env.SQRTDK_REFERENCE ?? "../shared/reference"}/weights/`,
  import.meta.url,
);
const file = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, weights)));

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const config = { dModel: 16, nHeads: 4, nKvHeads: 2, dFf: 24, nLayers: 2, vocab: 11, context: 9 };
const gpt = (): LanguageModel =>
  new sqrtdk.models.LanguageModel({ ...config, positions: "rotary", normFirst: true, seed: 2 });
const last = (data: Float32Array, n: number): Float32Array => data.slice(-n);

describe("a decoder-only model", () => {
  it("gives the same bits token by token as in one pass", () => {
    sqrtdk.scope(() => {
      const model = gpt();
      expect(model.config).toEqual({ ...config, nOut: 11, dHead: 4, nKvHeads: undefined });
      const ids = [3, 0, 10, 7, 7];
      const cache = model.makeCache();
      expect([cache.batch, cache.capacity, cache.length]).toEqual([1, 9, 0]);
      const out = sqrtdk.tensor(new Float32Array(11), [1, 11]);
      ids.forEach((id, i) => {
        expect(model.decode([id], cache, { out })).toBe(out);
        expect(out.toArray()).toEqual(last(model.forward(ids.slice(0, i + 1)).toArray(), 11));
        expect(cache.length).toBe(i + 1);
      });
      cache.clear();
      expect(model.decode(ids, cache).toArray()).toEqual(out.toArray());
      const scaled = model.decode([1], cache, { scale: 1 }).toArray();
      expect(scaled).not.toEqual(last(model.forward([...ids, 1]).toArray(), 11));
    });
  });

  it("takes batches with padding", () => {
    sqrtdk.scope(() => {
      const model = gpt();
      const ids = { data: [1, 2, 3, 4, 5, 0], shape: [2, 3] };
      const logits = model.forward(ids, { lengths: { data: [3, 2], shape: [2] } });
      expect(logits.shape).toEqual([2, 3, 11]);
      expect(logits.toArray().slice(33, 55)).toEqual(model.forward([4, 5]).toArray());
    });
  });

  it("continues greedily, tells each token, and stops", () => {
    sqrtdk.scope(() => {
      const model = gpt();
      const tokens = model.generate([1, 2]);
      expect(tokens.length).toBe(8); // the last one needs no place in the context
      const byHand = [1, 2];
      for (let i = 0; i < 8; ++i) {
        const logits = [...last(model.forward(byHand).toArray(), 11)];
        byHand.push(logits.indexOf(Math.max(...logits)));
      }
      expect(tokens).toEqual(byHand.slice(2));
      const seen: number[] = [];
      expect(model.generate([1, 2], { steps: 3, onToken: (token) => seen.push(token) })).toEqual(
        tokens.slice(0, 3),
      );
      expect(seen).toEqual(tokens.slice(0, 3));
      const made: Tensor[] = [];
      model.generate([1], { steps: 2, onToken: (token) => made.push(sqrtdk.tensor([token], [1])) });
      expect(made.map(({ disposed }) => disposed)).toEqual([false, false]);
      expect(model.generate([1, 2], { stop: tokens[0]! })).toEqual([]);
      expect(model.generate([1], { steps: 0 })).toEqual([]);

      const controller = new AbortController();
      const onToken = (): void => controller.abort();
      const { signal } = controller;
      expect(raised(() => model.generate([1], { signal, onToken }))).toBe(signal.reason);
      expect(raised(() => model.generate([1], { signal }))).toBe(signal.reason);
      expect(raised(() => model.generate([1], { onToken: () => false }))).toMatchObject({
        name: "AbortError",
      });
      const broken = (): void => {
        throw new RangeError("mine");
      };
      expect(() => model.generate([1], { onToken: broken })).toThrow(RangeError);
      const meddling = [(): unknown => model.forward([1]), (): unknown => model.dispose()];
      for (const onToken of meddling)
        expect(thrown(() => model.generate([1], { onToken })).got).toBe("in use");
      expect(model.generate([1, 2])).toEqual(tokens);
    });
  });

  it("says how likely tokens are", () => {
    sqrtdk.scope(() => {
      const model = gpt();
      const ids = [1, 5, 2, 9];
      const { mean, losses } = model.nll(ids);
      const logits = model.forward(ids);
      const rows = { data: logits.toArray().slice(0, 33), shape: [3, 11] };
      const exact = sqrtdk.ops.crossEntropy(rows, { data: ids.slice(1), shape: [3] });
      expect(losses).toEqual(exact.losses.toArray());
      expect(mean).toBeCloseTo(exact.loss, 6);
      expect(model.nll(ids, { scale: 3 }).mean).not.toBe(mean);
    });
  });

  it("keeps weights in fewer bits, on request, until it is trained", () => {
    sqrtdk.scope(() => {
      const model = gpt();
      const ids = [1, 5, 2, 9];
      const exact = model.forward(ids).toArray();
      const own = model.stateDict();
      const stepwise = (): Float32Array => {
        const cache = model.makeCache();
        return ids.map((id) => model.decode([id], cache).toArray()).at(-1)!;
      };
      for (const [weights, most] of [
        ["bf16", 2 ** -5],
        ["int8", 2 ** -5],
      ] as const) {
        model.pack({ weights });
        const logits = model.forward(ids).toArray();
        const error = Math.max(...logits.map((logit, i) => Math.abs(logit - exact[i]!)));
        expect(error).toBeGreaterThan(0);
        expect(error).toBeLessThan(most * Math.max(...exact.map(Math.abs)));
        expect(stepwise()).toEqual(last(logits, 11));
        expect(model.forward(ids).toArray()).toEqual(logits);
        expect(model.stateDict()).toEqual(own);
        model.loadStateDict(own); // what is packed is made again from new values, in the same format
        expect(model.forward(ids).toArray()).toEqual(logits);
        expect(model.forward(ids, { training: true }).toArray()).toEqual(exact);
      }
      model.pack();
      expect(model.forward(ids).toArray()).toEqual(exact);
      for (const weights of ["fp4", "", 3, null])
        expect(
          thrown(() => model.pack({ weights } as never)),
          String(weights),
        ).toBeInstanceOf(ValueError);
      expect(thrown(() => model.pack({ weight: "bf16" } as never)).message).toContain(
        "did you mean weights?",
      );
    });
  });

  it("says what is wrong, and then takes nothing", () => {
    sqrtdk.scope(() => {
      const model = gpt();
      const cache = model.makeCache(1, 3);
      model.decode([1, 2], cache);
      for (const action of [
        () => model.decode([1, 2], cache),
        () => model.decode([11], cache),
        () => model.decode([-1], cache),
        () => model.decode([], cache),
        () => model.forward(Array.from({ length: 10 }, () => 0)),
        () => model.forward([0.5]),
        () => model.generate([]),
        () => model.generate([1, 2], { steps: 9 }),
        () => model.nll([1]),
        () => model.makeCache(0),
      ]) {
        expect(thrown(action), String(action)).toBeInstanceOf(ValueError);
      }
      const out = sqrtdk.tensor([1], [1, 1]);
      expect(thrown(() => model.decode([1], cache, { out }))).toBeInstanceOf(ShapeError);
      expect(cache.length).toBe(2);
      cache.dispose();
      expect(thrown(() => model.decode([1], cache))).toBeInstanceOf(DisposedError);
      const encoder = new sqrtdk.models.LanguageModel({ ...config, causal: false, nOut: 3 });
      expect(encoder.forward([1, 2]).shape).toEqual([1, 2, 3]);
      expect(thrown(() => encoder.generate([1]))).toBeInstanceOf(ValueError);
    });
  });
});

describe("malformed files of weights", () => {
  it("are a FormatError that names what is wrong", () => {
    for (const action of [
      () => sqrtdk.models.loadLlama2c(new Uint8Array(3)),
      () => sqrtdk.models.loadLlama2c(new Uint8Array(64)),
      () => sqrtdk.models.loadNanoGpt(new Uint8Array(0)),
      () => sqrtdk.models.loadNanoGpt("{}"),
      () => sqrtdk.models.loadNanoGpt('{"config": {}}', { "a.npy": new Uint8Array(4) }),
      () => new sqrtdk.models.Tokenizer(new Uint8Array(10), 512),
    ]) {
      expect(thrown(action)).toBeInstanceOf(FormatError);
    }
  });
});

describe.skipIf(!existsSync(weights))("trained weights", () => {
  interface Goldens {
    tokenize: { text: string; ids_with_bos: number[] }[];
    greedy: { prompt: string; scale: string; ids: number[]; text: string }[];
    nll: { text: string; scale: string; mean_nll: number }[];
    scales: Record<string, number>;
  }
  let goldens: Goldens;
  let model: LanguageModel;
  let tokenizer: Tokenizer;
  beforeAll(() => {
    goldens = JSON.parse(new TextDecoder().decode(file("stories260K.goldens.json"))) as Goldens;
    model = sqrtdk.models.loadLlama2c(file("stories260K.bin"));
    tokenizer = new sqrtdk.models.Tokenizer(file("tok512.bin"), model.config.vocab);
    return () => {
      model.dispose();
      tokenizer.dispose();
    };
  });

  it("stories260K: tokens, greedy text and likelihood at every scale", () => {
    for (const { text, ids_with_bos } of goldens.tokenize)
      expect(tokenizer.encode(text)).toEqual(ids_with_bos);
    expect(tokenizer.decode(tokenizer.encode("\uFEFFa\0é"))).toBe("\uFEFFa\0é");
    for (const { prompt, scale, ids, text } of goldens.greedy) {
      const start = tokenizer.encode(prompt);
      const tokens = model.generate(start, {
        steps: ids.length - start.length,
        scale: goldens.scales[scale]!,
      });
      expect([...start, ...tokens]).toEqual(ids);
      expect(tokenizer.decode([...start, ...tokens])).toBe(text);
    }
    for (const { text, scale, mean_nll } of goldens.nll) {
      const { mean } = model.nll(tokenizer.encode(text), { scale: goldens.scales[scale]! });
      expect(mean).toBeCloseTo(mean_nll, 5);
    }
  });

  it("stories260K: truncated or with bytes after it, a FormatError", () => {
    const bytes = file("stories260K.bin");
    for (const wrong of [bytes.slice(0, -1), bytes.slice(0, 30), new Uint8Array([...bytes.slice(0, 4000)])]) {
      expect(thrown(() => sqrtdk.models.loadLlama2c(wrong))).toBeInstanceOf(FormatError);
    }
  });

  it("gpt-nano-sort: sorts with the scale, and rarely without", () => {
    const folder = "gpt-nano-sort/";
    const names = readdirSync(new URL(folder, weights)).filter((name) => name.startsWith("w_"));
    const files = Object.fromEntries(names.map((name) => [name, file(folder + name)]));
    sqrtdk.scope(() => {
      const sorter = sqrtdk.models.loadNanoGpt(file(`${folder}case.json`), files);
      const sorted = (scale: number): number => {
        let count = 0;
        for (let n = 0; n < 729; ++n) {
          const digits = Array.from({ length: 6 }, (_, i) => Math.floor(n / 3 ** i) % 3);
          const answer = sorter.generate(digits, { steps: 6, scale });
          if (answer.join() === [...digits].sort().join()) ++count;
        }
        return count;
      };
      expect([sorted(1 / 4), sorted(1)]).toEqual([729, 210]);
    });
  });
});
