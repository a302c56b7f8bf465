#!/usr/bin/env node
// Writes tests/golden/hashes.json anew from what the native command computes, and says what changed.
// Lines given as arguments are added: scripts/update_goldens.mjs "score_variance --d 32 --seed 7"
// scripts/update_goldens.mjs --check COMMAND... writes nothing: fails where COMMAND... computes another hash.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const file = path("tests/golden/hashes.json");
const old = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};

const checking = process.argv[2] === "--check";
const [command, ...words] = checking ? process.argv.slice(3) : [path("build/native/bin/sqrtdk")];

function hashOf(line) {
  const options = { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] };
  const { status, stdout } = spawnSync(command, [...words, "run", ...line.split(" "), "--json"], options);
  if (status !== 0) process.exit(1); // the command said why
  const { hash, timed } = JSON.parse(stdout);
  if (timed) throw new Error(`${line}: has times, which are never the same`);
  return hash;
}

const hashes = {};
for (const line of [...Object.keys(old), ...(checking ? [] : process.argv.slice(2))]) {
  hashes[line] = hashOf(line);
  if (hashes[line] !== old[line]) console.log(`${line}: ${old[line] ?? "new"} → ${hashes[line]}`);
}
if (checking) process.exit(Object.keys(old).some((line) => hashes[line] !== old[line]) ? 1 : 0);
writeFileSync(file, `${JSON.stringify(hashes, null, 2)}\n`);
console.log(`${Object.keys(hashes).length} golden hashes`);
