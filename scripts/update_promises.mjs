#!/usr/bin/env node
// What was measured last of the promises: web/content/measured.json, which the page docs/promises.md tells in both languages.
// README.md has the English table.
// usage: node scripts/update_promises.mjs [NAME=TEXT...]   these are the new figures; the commands say them with --update
//        node scripts/update_promises.mjs --check          writes nothing; fails where README.md has another table
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { told } from "../web/page/measured.mjs";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const file = path("web/content/measured.json");
const measured = JSON.parse(readFileSync(file, "utf8"));
const check = process.argv[2] === "--check";
for (const word of process.argv.slice(check ? 3 : 2)) {
  const [, name, text] = /^(\w+)=(.+)$/.exec(word) ?? [];
  if (!Object.hasOwn(measured, name))
    throw new Error(`${word}: not one of ${Object.keys(measured).join(", ")}`);
  measured[name] = text;
}
if (!check) writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);

const table = told(readFileSync(path("web/content/en/docs/promises.md"), "utf8"), measured)
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .join("\n");
const put = [
  path("scripts/lib/put_table.mjs"),
  path("README.md"),
  "promises",
  check ? "--check" : "--update",
];
execFileSync(process.execPath, put, { input: table, stdio: ["pipe", "inherit", "inherit"] });
