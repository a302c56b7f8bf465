#!/usr/bin/env node
// Writes bindings/api/experiment_schema.ts: of every experiment its parameters and the names that its results use, as types, from
// what the native command lists.
// scripts/update_experiments.mjs --check [COMMAND] writes nothing: fails where the file is not what it would write.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const [checking, given] = [process.argv[2] === "--check", process.argv[3]];
const command = given ?? path("build/native/bin/sqrtdk");
const file = path("bindings/api/experiment_schema.ts");

const { status, stdout } = spawnSync(command, ["list", "--json"], {
  stdio: ["ignore", "pipe", "inherit"],
  maxBuffer: 1e8,
});
if (status !== 0) throw new Error(`${command} list --json failed`);
const experiments = JSON.parse(stdout);

const union = (names) => (names.length > 0 ? names.map((name) => JSON.stringify(name)).join(" | ") : "never");
const list = (type) => `${type} | readonly (${type})[]`;
const types = {
  int: () => "NumberText",
  real: () => "NumberText",
  int_list: () => list("NumberText"),
  choice: ({ choices }) => union(choices),
  scale_list: ({ choices, max_count }) => {
    const one = `number | ${union(choices ?? [])} | (string & {})`;
    return max_count === undefined || max_count > 1 ? list(one) : one;
  },
  seed: () => "NumberText | bigint",
  matrix: () => "Matrix",
  text: () => "string",
  file: () => "string | Uint8Array | ArrayBuffer",
};

function paramOf(param) {
  const { name, type, min, max } = param;
  const range = ["int", "real", "int_list"].includes(type) ? `${min} .. ${max}. ` : "";
  const text = param.default === "" ? "none" : `\`${param.default.replaceAll("*/", "* /")}\``;
  return `/** ${range}Default ${text}. */\nreadonly ${name}?: ${types[type](param)};`;
}

const paramsOf = ({ id, question, params }) =>
  `/** ${question} */\nreadonly ${id}: {${params.map(paramOf).join("\n")}};`;
const namesOf = ({ id, words: { verdicts = [], scalars = [], figures = [] } }) =>
  `readonly ${id}: { readonly verdict: ${union(verdicts)}; readonly scalar: ${union(scalars)}; readonly figure: ${union(figures)} };`;

const text = `// Made by scripts/update_experiments.mjs from what \`sqrtdk list --json\` says.
import type { NumberText } from "./trainer_config.ts";
import type { ShapedData, TensorCopy } from "./types.ts";

/** Rows of numbers: as arrays, with their shape, a tensor, or as text with \`;\` between rows. */
export type Matrix = readonly (readonly number[])[] | ShapedData | TensorCopy | string;

/** The parameters of each experiment; those that are not given have their defaults. */
export interface ExperimentParams {
${experiments.map(paramsOf).join("\n")}
}

/** The names that the results of each experiment use. */
export interface ExperimentNames {
${experiments.map(namesOf).join("\n")}
}

export type ExperimentId = keyof ExperimentParams;
`;
const written = await format(text, { ...(await resolveConfig(file)), filepath: file });
if (!checking) {
  writeFileSync(file, written);
} else if (readFileSync(file, "utf8") !== written) {
  console.error(`${file} is not what the experiments say: scripts/update_experiments.mjs writes it`);
  process.exitCode = 1;
}
