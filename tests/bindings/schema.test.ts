// Each field is declared once: the command line, checkpoints, trainers and layers in JavaScript know all of them.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import * as tables from "../../bindings/api/layer_schema.ts";
import { load } from "../../bindings/entry/full.ts";
import type { Layer, Sqrtdk } from "../../bindings/entry/full.ts";
import { command } from "../cli/command.ts";
import { temporaryFiles } from "../cli/train_command.ts";
import { thrown } from "./thrown.ts";

interface Field {
  readonly name: string;
  readonly type: "whole" | "number" | "flag" | "choice" | "text" | "scale" | "seed";
  readonly help: string;
  readonly default: string;
  readonly otherwise?: string;
  readonly min?: number;
  readonly choices?: readonly string[];
}
const { stdout } = command("schema", "--json");
const { trainer } = JSON.parse(stdout) as { trainer: Field[] };
const file = temporaryFiles();

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

/** A text other than the default that a small trainer takes. */
function otherText({ name, type, default: value, choices }: Field): string {
  if (name === "task") return "reverse";
  if (name === "text") return "abcabcabcabcabcabcabc";
  if (choices) return choices.find((choice) => choice !== value)!;
  if (type === "flag") return value === "true" ? "false" : "true";
  if (name === "rotary_base") return "100";
  if (type === "number") return value === "0.5" ? "0.25" : "0.5";
  return String(Number(value) === 0 ? 2 : 2 * Number(value));
}
/** What this text asks for besides. */
const besides: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  n_kv_heads: [["n_heads", "2"]],
  rotary_base: [["positions", "rotary"]],
  nesterov: [
    ["optimizer", "sgd"],
    ["momentum", "0.5"],
  ],
  warmup_steps: [["total_steps", "4"]],
};

describe("of a trainer", () => {
  test("every field is an option with a help line, and JavaScript's in the same order", () => {
    const help = command("train", "--help").stdout;
    for (const { name, help: text } of trainer) {
      expect(help).toMatch(new RegExp(`^ {2}--${name} +\\S`, "m"));
      expect(text, name).toMatch(/^\S.*[^.]$/);
    }
    const known = sqrtdk.trainer_fields().map(({ name }) => name);
    expect(trainer.map(({ name }) => name)).toEqual(known);
  });

  test.each(trainer)(
    "$name is taken by the command, kept in its checkpoint, and read by JavaScript",
    (field) => {
      const small = { length: "2", symbols: "4", d_model: "8", batch: "2", task: "sort" };
      const texts: Record<string, string> = {
        ...small,
        ...Object.fromEntries(besides[field.name] ?? []),
        [field.name]: otherText(field),
      };
      const path = file(field.name);
      const words = Object.entries(texts).map(([name, text]) => `--${name}=${text}`);
      const steps = ["--steps=0", "--examples=1", "--answers=0", "--checkpoint", path];
      const { status, stderr } = command("train", ...words, ...steps);
      expect(stderr).not.toContain("sqrtdk:");
      expect(status).toBe(0);
      sqrtdk.scope(() => {
        const made = sqrtdk.trainer(texts);
        const restored = sqrtdk.load_trainer(readFileSync(path));
        expect(restored.config).toEqual(made.config);
        const plain = sqrtdk.trainer({ ...small }).config[field.name];
        expect(made.config[field.name]).not.toBe(plain);
      });
    },
  );

  test.each(trainer.filter(({ min }) => min !== undefined))("$name is refused below $min", (field) => {
    const below = field.otherwise ? -1 : field.min! - 1;
    const { status, stderr } = command("train", `--${field.name}=${below}`, "--steps=0");
    expect(stderr).toMatch(/^sqrtdk: [^\n]+\n$/);
    expect(status).toBe(2);
  });
});

describe("of layers", () => {
  const base = { d_model: 4, n_heads: 2, n_in: 2, n_out: 3, vocab: 3, context: 4, n_layers: 1 };
  const whole = { ...base, n_encoder_layers: 1, n_decoder_layers: 1 };
  const fieldsOf: Readonly<Record<(typeof tables.layerKinds)[number], readonly tables.Field[]>> = {
    linear: tables.linearFields,
    token_embedding: tables.embeddingFields,
    norm: tables.normFields,
    feed_forward: tables.feedForwardFields,
    multi_head_attention: tables.multiHeadAttentionFields,
    encoder_layer: tables.transformerLayerFields,
    decoder_layer: tables.transformerLayerFields,
    transformer_encoder: tables.stackFields,
    transformer_decoder: tables.stackFields,
    transformer: tables.transformerFields,
    language_model: tables.languageModelFields,
  };
  const make = (kind: string, config: object): Layer =>
    (sqrtdk as unknown as Record<string, (config: object) => Layer>)[kind]!(config);
  const wrong = { whole: 0, number: NaN, flag: 1, choice: "none of them", scale: "√d" } as const;
  const right = { whole: 2, number: 0.5, flag: true, choice: "", scale: "1/d" } as const;
  const cases = tables.layerKinds.flatMap((kind) =>
    fieldsOf[kind].map((field) => [kind, field.name, field] as const),
  );

  test.each(cases)("%s takes %s, and refuses by its name what it may not be", (kind, name, field) => {
    const given = Object.fromEntries(
      fieldsOf[kind].map((each) => [each.name, whole[each.name as "d_model"]]),
    );
    sqrtdk.scope(() => {
      const value = name === "rotary_base" ? 100 : (field.choices?.at(-1) ?? right[field.type]);
      const also = name === "rotary_base" && { positions: "rotary" };
      expect(make(kind, { ...given, ...also, [name]: value }).parameters.length).toBeGreaterThan(0);
      expect(thrown(() => make(kind, { ...given, [name]: wrong[field.type] }))).toMatchObject({
        name: "ValueError",
        operator: kind,
        argument: name,
      });
    });
  });
});
