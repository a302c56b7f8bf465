#!/usr/bin/env node
// Writes what TypeScript knows of configs from what C++ declares, which the native command prints: the interfaces, and of
// layers and models the fields that cross to C++, in its order. Names are written as TypeScript spells them.
// scripts/update_schema.mjs --check [COMMAND] writes nothing: fails where a file is not what it would write.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { camelCase } from "./lib/camel_case.mjs";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const [checking, given] = [process.argv[2] === "--check", process.argv[3]];
const command = given ?? path("build/native/bin/sqrtdk");
const made = "// Made by scripts/update_schema.mjs from the fields that C++ declares (config_fields.h).";

const { status, stdout } = spawnSync(command, ["schema", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
if (status !== 0) throw new Error(`${command} schema --json failed`);
const schema = JSON.parse(stdout);

/** The names of all fields that TypeScript spells otherwise. */
const ofTwoWords = [...schema.configs.flatMap(({ fields }) => fields), ...schema.trainer]
  .map(({ name }) => name)
  .filter((name) => name?.includes("_"));
const inText = new RegExp(`\\b(${[...new Set(ofTwoWords)].join("|")})\\b`, "g");
/** A text that speaks of fields. */
const spelled = (text) => text.replace(inText, camelCase);

const quoted = (names) => names.map((name) => JSON.stringify(name)).join(" | ");
const table = (config) => `${config[0].toLowerCase()}${config.slice(1)}Fields`;
/** A comment of what a field is; `value` is what its default is, or empty. */
const doc = (help, value) =>
  spelled(`/** ${help[0].toUpperCase()}${help.slice(1)}.${value === "" ? "" : ` Default ${value}.`} */`);
const written = ({ type, default: value }) => {
  if (type === "flag") return value;
  return Number.isFinite(Number(value)) ? String(Number(value)) : `\`${value}\``;
};

// --- layers and models ------------------------------------------------------------------------------------

const layerTypes = {
  whole: () => "number",
  number: () => "number",
  flag: () => "boolean",
  scale: () => "Scales",
};
const layerType = ({ type, choices }) => (type === "choice" ? quoted(choices) : layerTypes[type]());

function layerMember(field) {
  const { name, help, required, otherwise } = field;
  const comment = doc(help, required ? "" : (otherwise ?? written(field)));
  return `${comment}\nreadonly ${camelCase(name)}${required ? "" : "?"}: ${layerType(field)};`;
}

function layerInterface({ name, fields }) {
  const parts = fields.filter(({ part }) => part).map(({ part }) => `${part}Fields`);
  const bases = parts.length > 0 ? ` extends ${parts.join(", ")}` : "";
  const members = fields.filter(({ part }) => !part).map(layerMember);
  return `export interface ${name}Fields${bases} {${members.join("\n")}}`;
}

function layerTable({ name, fields }) {
  const rows = fields.map(({ part, name, type, required, min, max, choices }) =>
    part
      ? `...${table(part)}`
      : JSON.stringify({
          ...{ name: camelCase(name), type, required, min },
          ...(type === "whole" && { max }),
          choices,
        }),
  );
  return `export const ${table(name)}: readonly Field[] = [${rows.join(",")}];`;
}

const layerSchema = ({ configs, layers }) => `${made}
import type { Scales } from "./scale.ts";

/** A field as it crosses to C++: which numbers or names it may be. One that is not required has a default. */
export interface Field {
  readonly name: string;
  readonly type: "whole" | "number" | "flag" | "scale" | "choice";
  readonly required?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** In the order of C++'s. */
  readonly choices?: readonly string[];
}

${configs.map((config) => `${layerInterface(config)}\n\n${layerTable(config)}`).join("\n\n")}

/** What can be made, by C++'s names in its order. */
export const layerKinds = ${JSON.stringify(layers)} as const;
`;

// --- trainers ---------------------------------------------------------------------------------------------

const anyText = (choices) => `${quoted(choices)} | (string & {})`;
const trainerTypes = {
  whole: () => "NumberText",
  number: () => "NumberText",
  flag: () => "FlagText",
  choice: ({ choices }) => anyText(choices),
  text: ({ choices }) => (choices ? anyText(choices) : "string"),
  scale: ({ choices }) => `${anyText(choices)} | number`,
  seed: () => "NumberText | bigint",
};

function trainerMember(field) {
  const { name, help, type, otherwise } = field;
  const value = field.default === "" ? "" : written(field);
  const said = type === "seed" ? `${help}; beyond 2^53 a bigint or decimal text` : help;
  const comment = doc(said, otherwise && type !== "flag" ? `${value}: ${otherwise}` : value);
  return `${comment}\nreadonly ${camelCase(name)}?: ${trainerTypes[type](field)};`;
}

const trainerConfig = ({ trainer }) => `${made}
// A trainer's are the options of the command line.

/** A number or a switch, or its text form as in links and attributes. */
export type NumberText = number | string;
export type FlagText = boolean | string;

/** Every field may be left out. */
export interface TrainerConfig {
${trainer.map(trainerMember).join("\n")}
}
`;

// --- the files --------------------------------------------------------------------------------------------

const files = {
  "bindings/api/layer_schema.ts": layerSchema(schema),
  "bindings/api/trainer_config.ts": trainerConfig(schema),
};
for (const [file, text] of Object.entries(files)) {
  const written = await format(text, { ...(await resolveConfig(path(file))), filepath: path(file) });
  if (!checking) writeFileSync(path(file), written);
  else if (readFileSync(path(file), "utf8") !== written) {
    console.error(`${file} is not what the fields say: scripts/update_schema.mjs writes it`);
    process.exitCode = 1;
  }
}
