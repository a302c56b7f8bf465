// Parameters of a layer from the state dict or file of a model that has it inside.
import { beforeAll, describe, expect, it } from "vitest";
import { FormatError, load } from "../../bindings/entry/full.ts";
import type { Sqrtdk } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

describe("a prefix", () => {
  it("picks a layer of a larger state dict, or file", () => {
    sqrtdk.scope(() => {
      const stack = new sqrtdk.nn.TransformerEncoder({ dModel: 8, nHeads: 2, nLayers: 2, seed: 1 });
      const x = sqrtdk.random.randn([1, 5, 8], { seed: 2 });
      const layer = (): InstanceType<Sqrtdk["nn"]["EncoderLayer"]> =>
        new sqrtdk.nn.EncoderLayer({ dModel: 8, nHeads: 2, seed: 9 });
      const [own, first, second, loaded] = [layer(), layer(), layer(), layer()];
      first.loadStateDict(stack.stateDict(), { prefix: "layers.0." });
      const options = { prefix: "layers.1." };
      expect(second.loadStateDict(stack.stateDict(), options)).toEqual({
        missingKeys: [],
        unexpectedKeys: [],
      });
      loaded.load(stack.save(), options);
      const out = second.forward(first.forward(x)).toArray();
      expect(out).toEqual(stack.forward(x).toArray());
      expect(loaded.forward(x).toArray()).toEqual(second.forward(x).toArray());
      expect(own.forward(x).toArray()).not.toEqual(first.forward(x).toArray());
    });
  });

  it("that fits nothing, or not all, is told as names that differ, and nothing is changed", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.Linear({ nIn: 2, nOut: 3, seed: 1 });
      const before = layer.stateDict();
      const dict = { "a.weight": [[1, 2], [3, 4], [5, 6]], "b.bias": [1, 2, 3], bias: [7, 8, 9] }; // prettier-ignore
      const error = thrown(() => layer.loadStateDict(dict, { prefix: "a." }));
      expect(error).toBeInstanceOf(FormatError);
      expect(error).toMatchObject({ operator: "loadStateDict", argument: "dict", got: "missing: bias" });
      expect(thrown(() => layer.loadStateDict(dict, { prefix: "c." })).got).toBe("missing: weight, bias");
      expect(thrown(() => layer.loadStateDict(dict, { prefix: 1 as never })).argument).toBe("prefix");
      expect(layer.stateDict()).toEqual(before);
      const loose = { prefix: "a.", strict: false };
      expect(layer.loadStateDict(dict, loose)).toEqual({ missingKeys: ["bias"], unexpectedKeys: [] });
      expect([...layer.stateDict()["weight"]!.data]).toEqual([1, 2, 3, 4, 5, 6]);
    });
  });
});
