#!/usr/bin/env node
// Writes tests/golden/hashes.json anew from what the native command computes, and says what changed.
// Lines given as arguments are added: scripts/update_goldens.mjs "score_variance --d 32 --seed 7"
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const file = path("tests/golden/hashes.json");
const old = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};

function hashOf(line) {
  const { status, stdout } = spawnSync(
    path("build/native/bin/sqrtdk"),
    ["run", ...line.split(" "), "--json"],
    {
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  if (status !== 0) process.exit(1); // the command said why
  return JSON.parse(stdout).hash;
}

const hashes = {};
for (const line of [...Object.keys(old), ...process.argv.slice(2)]) {
  hashes[line] = hashOf(line);
  if (hashes[line] !== old[line]) console.log(`${line}: ${old[line] ?? "new"} → ${hashes[line]}`);
}
writeFileSync(file, `${JSON.stringify(hashes, null, 2)}\n`);
console.log(`${Object.keys(hashes).length} golden hashes`);
