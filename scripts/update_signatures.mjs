#!/usr/bin/env node
// Writes bindings/api/signatures.ts: what the operators of C++ take and answer, which build/native/bin/sqrtdk_signatures
// prints, and the names of what they choose among. C++'s names of arguments are written as TypeScript spells them.
// scripts/update_signatures.mjs --check [COMMAND] writes nothing: fails where the file is not what it would write.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { camelCase } from "./lib/camel_case.mjs";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const [checking, given] = [process.argv[2] === "--check", process.argv[3]];
const command = given ?? path("build/native/bin/sqrtdk_signatures");
const file = path("bindings/api/signatures.ts");

const { status, stdout } = spawnSync(command, { stdio: ["ignore", "pipe", "inherit"] });
if (status !== 0) throw new Error(`${command} failed`);
const { choices, scales, groups, operators } = JSON.parse(stdout);

/** The name "" stands for what is not given. */
const union = (names) => names.map((name) => JSON.stringify(name)).join(" | ");
const choice = ([kind, names]) => `
export type ${kind} = ${union(names.filter((name) => name !== ""))};
export const ${kind[0].toLowerCase()}${kind.slice(1)}Names: readonly Choices["${kind}"][] = ${JSON.stringify(names)};`;
/** "append_rows(n_past: number, ..": the operator's name is the one by which the module is asked. */
const signature = (text) => {
  const open = text.indexOf("(");
  const spelled = text.slice(0, open) + text.slice(open).replace(/\w+(?=\??: )/g, camelCase);
  return `export const ${camelCase(text.slice(0, open))} = ${JSON.stringify(spelled)};`;
};

const text = `// Made by scripts/update_signatures.mjs from what C++ reads (bindings/embind/*_operators.cpp): each operator's name,
// arguments in their order with their kinds, and answer. raw.ts says what a kind is.

// What operators choose among, in the order of C++'s enumerations.
export interface Choices {
${Object.entries(choices)
  .map(([kind, names]) => `readonly ${kind}: ${union(names)};`)
  .join("\n")}
}
${Object.entries(choices).map(choice).join("\n")}

// The names of scales at a head dimension d.
export type ScaleName = ${union(scales)};

// Arguments that several operators have.
${groups.map(signature).join("\n")}

${operators.map(signature).join("\n")}
`;
const written = await format(text, { ...(await resolveConfig(file)), filepath: file });
if (!checking) {
  writeFileSync(file, written);
} else if (readFileSync(file, "utf8") !== written) {
  console.error(`${file} is not what C++ reads: scripts/update_signatures.mjs writes it`);
  process.exitCode = 1;
}
