// Layers whose keys and values share one projection.
import { beforeAll, describe, expect, it } from "vitest";
import { FormatError, OutOfMemoryError, ValueError, load } from "../../bindings/entry/full.ts";
import type { Layer, Sqrtdk, Values } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const d = 4;
const heads = { dModel: d, nHeads: 2 };
const x = { data: Array.from({ length: 3 * d }, (_, i) => Math.sin(i + 1)), shape: [1, 3, d] };

/** The tied layer's parameters as those of one whose values have a copy of the keys' rows. */
const untied = (name: string, { data, shape }: Values): Values =>
  name.includes("in_proj")
    ? {
        data: Float32Array.from([...data, ...data.subarray(data.length / 2)]),
        shape: [3 * d, ...shape.slice(1)],
      }
    : { data, shape };

describe("tiedKv", () => {
  it("gives the bits of a layer with the same numbers twice", () => {
    sqrtdk.scope(() => {
      const tied = new sqrtdk.nn.MultiHeadAttention({ ...heads, tiedKv: true, seed: 3 });
      const parameters = tied.stateDict();
      expect(parameters["in_proj_weight"]!.shape).toEqual([2 * d, d]);
      expect(parameters["in_proj_bias"]!.shape).toEqual([2 * d]);
      const two = new sqrtdk.nn.MultiHeadAttention(heads);
      two.loadStateDict(
        Object.fromEntries(Object.entries(parameters).map(([name, values]) => [name, untied(name, values)])),
      );
      expect(tied.forward(x, x, x).toArray()).toEqual(two.forward(x, x, x).toArray());
      expect(tied.intermediate("k").data).toEqual(tied.intermediate("v").data);

      tied.backward(x);
      two.backward(x);
      const [own, theirs] = [tied, two].map((layer) => layer.gradients()["in_proj_weight"]!.data) as [
        Float32Array,
        Float32Array,
      ];
      for (let i = d * d; i < 2 * d * d; ++i) expect(own[i]).toBeCloseTo(theirs[i]! + theirs[i + d * d]!, 5);
    });
  });

  it("is known to every layer and model with attention", () => {
    const { nn, models } = sqrtdk;
    const stacks = { ...heads, nLayers: 1 };
    const both = { ...heads, nEncoderLayers: 1, nDecoderLayers: 1 };
    const makers: Readonly<Record<string, (tiedKv: boolean) => Layer>> = {
      MultiHeadAttention: (tiedKv) => new nn.MultiHeadAttention({ ...heads, tiedKv }),
      EncoderLayer: (tiedKv) => new nn.EncoderLayer({ ...heads, tiedKv }),
      DecoderLayer: (tiedKv) => new nn.DecoderLayer({ ...heads, tiedKv }),
      TransformerEncoder: (tiedKv) => new nn.TransformerEncoder({ ...stacks, tiedKv }),
      TransformerDecoder: (tiedKv) => new nn.TransformerDecoder({ ...stacks, tiedKv }),
      Transformer: (tiedKv) => new nn.Transformer({ ...both, tiedKv }),
      LanguageModel: (tiedKv) => new models.LanguageModel({ ...stacks, vocab: 3, context: 4, tiedKv }),
    };
    for (const [kind, make] of Object.entries(makers)) {
      sqrtdk.scope(() => {
        const rows = (tiedKv: boolean) =>
          Object.entries(make(tiedKv).stateDict())
            .filter(([name]) => name.endsWith("in_proj_weight"))
            .map(([, { shape }]) => shape[0]! / d);
        expect(new Set(rows(true)), kind).toEqual(new Set([2]));
        expect(new Set(rows(false)), kind).toEqual(new Set([3]));
        const error = thrown(() => make(1 as never));
        expect(error).toMatchObject({ code: "not_a_choice", operator: kind, argument: "tiedKv" });
      });
    }
  });

  it("goes with d_head and other widths, and refuses two of them", () => {
    sqrtdk.scope(() => {
      const layer = new sqrtdk.nn.EncoderLayer({ ...heads, dHead: 3, tiedKv: true });
      expect(layer.stateDict()["self_attn.in_proj_weight"]!.shape).toEqual([12, d]);
      const other = new sqrtdk.nn.MultiHeadAttention({ ...heads, tiedKv: true, dKeyIn: 5, dValueIn: 5 });
      expect(other.stateDict()["kv_proj_weight"]!.shape).toEqual([d, 5]);
      expect(thrown(() => layer.loadStateDict(new sqrtdk.nn.EncoderLayer(heads).stateDict()))).toBeInstanceOf(
        FormatError,
      );
      const two = { ...heads, tiedKv: true, dKeyIn: 4, dValueIn: 5 };
      expect(thrown(() => new sqrtdk.nn.MultiHeadAttention(two))).toBeInstanceOf(ValueError);
    });
  });
});

it("a layer or model that does not fit into memory is named", () => {
  const large = { dModel: 2 ** 14, nHeads: 1, dFf: 2 ** 20 };
  for (const [operator, make] of [
    ["EncoderLayer", () => new sqrtdk.nn.EncoderLayer(large)],
    ["LanguageModel", () => new sqrtdk.models.LanguageModel({ ...large, nLayers: 1, vocab: 2, context: 2 })],
    ["Linear", () => new sqrtdk.nn.Linear({ nIn: 2 ** 16, nOut: 2 ** 16 })],
    ["trainer", () => sqrtdk.train.trainer({ dModel: 2 ** 10, nHeads: 1, dFf: 2 ** 20 })],
  ] as const) {
    const error = thrown(make);
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect(error).toMatchObject({ code: "out_of_memory", operator });
    expect(error.message).toContain(`${operator}: out of memory`);
  }
  sqrtdk.scope(() =>
    expect(new sqrtdk.nn.Linear({ nIn: 1, nOut: 1 }).forward({ data: [0], shape: [1] }).shape).toEqual([1]),
  );
});
