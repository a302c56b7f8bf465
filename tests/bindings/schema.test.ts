// Each field is declared once: the command line, checkpoints, trainers and layers in JavaScript know all of them.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { camelCase, snakeCase } from "../../bindings/api/camel_case.ts";
import * as tables from "../../bindings/api/layer_schema.ts";
import { load } from "../../bindings/entry/full.ts";
import type { Layer, Nn, Sqrtdk } from "../../bindings/entry/full.ts";
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

/** A config of the command's names in JavaScript's. */
const spelled = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [camelCase(name), text]));

test("names come back from either spelling", () => {
  const names = trainer.map(({ name }) => name);
  expect(names.map((name) => snakeCase(camelCase(name)))).toEqual(names);
});

describe("of a trainer", () => {
  test("every field is an option with a help line, and JavaScript's in the same order", () => {
    const help = command("train", "--help").stdout;
    for (const { name, help: text } of trainer) {
      expect(help).toMatch(new RegExp(`^ {2}--${name} +\\S`, "m"));
      expect(text, name).toMatch(/^\S.*[^.]$/);
    }
    const known = sqrtdk.train.fields().map(({ name }) => name);
    expect(trainer.map(({ name }) => camelCase(name))).toEqual(known);
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
        const made = sqrtdk.train.trainer(spelled(texts));
        const restored = sqrtdk.train.loadTrainer(readFileSync(path));
        expect(restored.config).toEqual(made.config);
        const plain = sqrtdk.train.trainer(spelled(small)).config[camelCase(field.name)];
        expect(made.config[camelCase(field.name)]).not.toBe(plain);
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
  const base = { dModel: 4, nHeads: 2, nIn: 2, nOut: 3, vocab: 3, context: 4, nLayers: 1 };
  const whole = { ...base, nEncoderLayers: 1, nDecoderLayers: 1 };
  const norm = tables.normFields.filter(({ name }) => name !== "kind"); // which its class says
  const fieldsOf: Readonly<Record<keyof Nn | "LanguageModel", readonly tables.Field[]>> = {
    Linear: tables.linearFields,
    Embedding: tables.embeddingFields,
    LayerNorm: norm,
    RMSNorm: norm,
    FeedForward: tables.feedForwardFields,
    MultiHeadAttention: tables.multiHeadAttentionFields,
    EncoderLayer: tables.transformerLayerFields,
    DecoderLayer: tables.transformerLayerFields,
    TransformerEncoder: tables.stackFields,
    TransformerDecoder: tables.stackFields,
    Transformer: tables.transformerFields,
    LanguageModel: tables.languageModelFields,
  };
  const kinds = Object.keys(fieldsOf) as (keyof typeof fieldsOf)[];
  const make = (kind: keyof typeof fieldsOf, config: object): Layer => {
    const classes = { ...sqrtdk.nn, LanguageModel: sqrtdk.models.LanguageModel };
    return new (classes[kind] as unknown as new (config: object) => Layer)(config);
  };
  const wrong = { whole: 0, number: NaN, flag: 1, choice: "none of them", scale: "√d" } as const;
  const right = { whole: 2, number: 0.5, flag: true, choice: "", scale: "1/d" } as const;
  const cases = kinds.flatMap((kind) => fieldsOf[kind].map((field) => [kind, field.name, field] as const));

  test.each(cases)("%s takes %s, and refuses by its name what it may not be", (kind, name, field) => {
    const given = Object.fromEntries(fieldsOf[kind].map((each) => [each.name, whole[each.name as "dModel"]]));
    sqrtdk.scope(() => {
      const value = name === "rotaryBase" ? 100 : (field.choices?.at(-1) ?? right[field.type]);
      const also = name === "rotaryBase" && kind === "LanguageModel" && { positions: "rotary" };
      expect(make(kind, { ...given, ...also, [name]: value }).parameters.length).toBeGreaterThan(0);
      expect(thrown(() => make(kind, { ...given, [name]: wrong[field.type] }))).toMatchObject({
        name: "ValueError",
        operator: kind,
        argument: name,
      });
    });
  });
});
