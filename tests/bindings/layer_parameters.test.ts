// Parameters by name: their initial values, and stateDict.
import { beforeAll, describe, expect, it } from "vitest";
import { FormatError, ValueError, load } from "../../bindings/entry/full.ts";
import type { Init, Sqrtdk } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const small = { dModel: 8, nHeads: 2, dFf: 12 };
const std = (values: Float32Array): number =>
  Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);

describe("initial values", () => {
  const weights = (init: Init): Record<string, Float32Array> =>
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.EncoderLayer({ dModel: 64, nHeads: 2, dFf: 128, init, seed: 9 });
      return Object.fromEntries(Object.entries(layer.stateDict()).map(([name, { data }]) => [name, data]));
    });

  it("are PyTorch's unless told otherwise", () => {
    const w = weights("pytorch");
    expect(Math.max(...w["linear1.weight"]!)).toBeLessThanOrEqual(1 / 8);
    expect(std(w["linear1.weight"]!)).toBeCloseTo(1 / 8 / Math.sqrt(3), 2);
    expect(std(w["linear1.bias"]!)).toBeGreaterThan(0.03);
    expect(std(w["self_attn.in_proj_weight"]!)).toBeCloseTo(Math.sqrt(2 / 256), 2);
    expect(w["self_attn.in_proj_bias"]!.every((value) => value === 0)).toBe(true);
    expect(w["norm1.weight"]!.every((value) => value === 1)).toBe(true);
    expect(w["norm1.bias"]!.every((value) => value === 0)).toBe(true);
  });

  it("are Xavier's, Kaiming's or normal", () => {
    const spread = (init: Init): number => std(weights(init)["linear1.weight"]!); // [128, 64]
    expect(spread("xavier_uniform")).toBeCloseTo(Math.sqrt(2 / 192), 2);
    expect(spread("xavier_normal")).toBeCloseTo(Math.sqrt(2 / 192), 2);
    expect(spread("kaiming_uniform")).toBeCloseTo(Math.sqrt(2 / 64), 2);
    expect(spread("kaiming_normal")).toBeCloseTo(Math.sqrt(2 / 64), 2);
    expect(spread({ normal: 0.02 })).toBeCloseTo(0.02, 3);
    expect(std(weights("xavier_normal")["linear1.bias"]!)).toBe(0);
    expect(thrown(() => weights("he" as "pytorch"))).toMatchObject({
      code: "not_a_choice",
      argument: "init",
    });
    expect(thrown(() => weights({ normal: -1 }))).toBeInstanceOf(ValueError);
  });

  it("depend on the seed alone", () => {
    const first = (seed: number | bigint): Float32Array =>
      sqrtdk.scope(() => new sqrtdk.nn.Linear({ nIn: 3, nOut: 2, seed }).stateDict()["weight"]!.data);
    expect(first(1)).toEqual(first(1));
    expect(first(1)).not.toEqual(first(2));
    expect(first(2n ** 64n - 1n)).not.toEqual(first(2n ** 32n - 1n));
  });
});

describe("state_dict", () => {
  it("goes to another layer and back", () => {
    sqrtdk.scope(() => {
      const [a, b] = [
        new sqrtdk.nn.DecoderLayer({ ...small, seed: 1 }),
        new sqrtdk.nn.DecoderLayer({ ...small, seed: 2 }),
      ];
      expect(a.stateDict()).not.toEqual(b.stateDict());
      expect(b.loadStateDict(a.stateDict())).toEqual({ missingKeys: [], unexpectedKeys: [] });
      expect(a.stateDict()).toEqual(b.stateDict());
    });
  });

  it("takes tensors, and names that are missing or unexpected unless strict", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.Linear({ nIn: 2, nOut: 1 });
      const before = layer.stateDict();
      const weight = sqrtdk.tensor([3, 4], [1, 2]);
      const dict = { weight, extra: weight, other: weight };
      const error = thrown(() => layer.loadStateDict(dict));
      expect(error).toBeInstanceOf(FormatError);
      expect(error.got).toBe("missing: bias; unexpected: extra, other");
      expect(layer.stateDict()).toEqual(before);
      expect(layer.loadStateDict(dict, { strict: false })).toEqual({
        missingKeys: ["bias"],
        unexpectedKeys: ["extra", "other"],
      });
      expect([...layer.stateDict()["weight"]!.data]).toEqual([3, 4]);
      expect(layer.loadStateDict({}, { strict: false }).missingKeys).toEqual(["weight", "bias"]);
      const wrong = { weight: { data: [1, 2], shape: [2, 1] }, bias: { data: [1], shape: [1] } };
      expect(thrown(() => layer.loadStateDict(wrong)).got).toContain("weight (2, 1) instead of (1, 2)");
      expect([...layer.stateDict()["weight"]!.data]).toEqual([3, 4]);
      expect(thrown(() => layer.loadStateDict({ "a\0b": weight }))).toBeInstanceOf(ValueError);
      expect(thrown(() => layer.loadStateDict({ weight: { data: [1], shape: [1, 2] } }))).toMatchObject({
        name: "ShapeError",
        argument: "weight",
      });
    });
  });

  it("holds tied parameters under each of their names", () => {
    sqrtdk.scope(() => {
      const model = new sqrtdk.models.LanguageModel({ ...small, vocab: 5, context: 4, nLayers: 1 });
      const dict = model.stateDict();
      expect(dict["head.weight"]).toEqual(dict["embedding.weight"]);
      const names = model.parameters.map(({ name }) => name);
      expect(names).toContain("embedding.weight");
      expect(names).not.toContain("head.weight");
      expect(model.loadStateDict(dict).missingKeys).toEqual([]);
    });
  });
});
