// tests/golden/hashes.json: for runs written as on the command line, the hash over every bit of the result.
// Written by scripts/update_goldens.mjs; asserted of the native command, in Node, and in each browser.
import { readFileSync } from "node:fs";

export interface Golden {
  /** E.g. "score_variance --d 32,128 --seed 7". */
  line: string;
  id: string;
  params: Record<string, string>;
  hash: string;
}

const file = new URL("./hashes.json", import.meta.url);
const hashes = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;

export const goldens: readonly Golden[] = Object.entries(hashes).map(([line, hash]) => {
  const [id = "", ...words] = line.split(" ");
  const params: Record<string, string> = {};
  for (let i = 0; i < words.length; i += 2) params[(words[i] ?? "").replace(/^--/, "")] = words[i + 1] ?? "";
  return { line, id, params, hash };
});
