// Layers whose keys and values share one projection.
import { beforeAll, describe, expect, it } from "vitest";
import { FormatError, OutOfMemory, ValueError, load } from "../../bindings/entry/full.ts";
import type { Sqrtdk, Values } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const d = 4;
const heads = { d_model: d, n_heads: 2 };
const x = { data: Array.from({ length: 3 * d }, (_, i) => Math.sin(i + 1)), shape: [1, 3, d] };

/** The tied layer's parameters as those of one whose values have a copy of the keys' rows. */
const untied = (name: string, { data, shape }: Values): Values =>
  name.includes("in_proj")
    ? {
        data: Float32Array.from([...data, ...data.subarray(data.length / 2)]),
        shape: [3 * d, ...shape.slice(1)],
      }
    : { data, shape };

describe("tied_kv", () => {
  it("gives the bits of a layer with the same numbers twice", () => {
    sqrtdk.scope(() => {
      const tied = sqrtdk.multi_head_attention({ ...heads, tied_kv: true, seed: 3 });
      const parameters = tied.state_dict();
      expect(parameters["in_proj_weight"]!.shape).toEqual([2 * d, d]);
      expect(parameters["in_proj_bias"]!.shape).toEqual([2 * d]);
      const two = sqrtdk.multi_head_attention(heads);
      two.load_state_dict(
        Object.fromEntries(Object.entries(parameters).map(([name, values]) => [name, untied(name, values)])),
      );
      expect(tied.forward(x, x, x).data).toEqual(two.forward(x, x, x).data);
      expect(tied.cache("k").data).toEqual(tied.cache("v").data);

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
    const all = { ...heads, n_layers: 1, n_encoder_layers: 1, n_decoder_layers: 1, vocab: 3, context: 4 };
    for (const kind of [
      "multi_head_attention",
      "encoder_layer",
      "decoder_layer",
      "transformer_encoder",
      "transformer_decoder",
      "transformer",
      "language_model",
    ] as const) {
      sqrtdk.scope(() => {
        const rows = (tied_kv: boolean) =>
          Object.entries(sqrtdk[kind]({ ...all, tied_kv }).state_dict())
            .filter(([name]) => name.endsWith("in_proj_weight"))
            .map(([, { shape }]) => shape[0]! / d);
        expect(new Set(rows(true)), kind).toEqual(new Set([2]));
        expect(new Set(rows(false)), kind).toEqual(new Set([3]));
        const error = thrown(() => sqrtdk[kind]({ ...all, tied_kv: 1 as never }));
        expect(error).toMatchObject({ code: "not_a_choice", operator: kind, argument: "tied_kv" });
      });
    }
  });

  it("goes with d_head and other widths, and refuses two of them", () => {
    sqrtdk.scope(() => {
      const layer = sqrtdk.encoder_layer({ ...heads, d_head: 3, tied_kv: true });
      expect(layer.state_dict()["self_attn.in_proj_weight"]!.shape).toEqual([12, d]);
      const other = sqrtdk.multi_head_attention({ ...heads, tied_kv: true, d_key_in: 5, d_value_in: 5 });
      expect(other.state_dict()["kv_proj_weight"]!.shape).toEqual([d, 5]);
      expect(thrown(() => layer.load_state_dict(sqrtdk.encoder_layer(heads).state_dict()))).toBeInstanceOf(
        FormatError,
      );
      const two = { ...heads, tied_kv: true, d_key_in: 4, d_value_in: 5 };
      expect(thrown(() => sqrtdk.multi_head_attention(two))).toBeInstanceOf(ValueError);
    });
  });
});

it("a layer or model that does not fit into memory is named", () => {
  const large = { d_model: 2 ** 14, n_heads: 1, d_ff: 2 ** 20 };
  for (const [operator, make] of [
    ["encoder_layer", () => sqrtdk.encoder_layer(large)],
    ["language_model", () => sqrtdk.language_model({ ...large, n_layers: 1, vocab: 2, context: 2 })],
    ["linear", () => sqrtdk.linear({ n_in: 2 ** 16, n_out: 2 ** 16 })],
    ["trainer", () => sqrtdk.trainer({ d_model: 2 ** 10, n_heads: 1, d_ff: 2 ** 20 })],
  ] as const) {
    const error = thrown(make);
    expect(error).toBeInstanceOf(OutOfMemory);
    expect(error).toMatchObject({ code: "out_of_memory", operator });
    expect(error.message).toContain(`${operator}: out of memory`);
  }
  sqrtdk.scope(() =>
    expect(sqrtdk.linear({ n_in: 1, n_out: 1 }).forward({ data: [0], shape: [1] }).shape).toEqual([1]),
  );
});
