// The module `full` without the API around it.
import { readFileSync } from "node:fs";
import { instantiate } from "../../bindings/api/module.ts";
import type { Raw } from "../../bindings/api/raw.ts";

/** A module with a memory of its own. */
export async function startModule(): Promise<Raw> {
  const bytes = readFileSync(new URL("../../build/wasm/full.wasm", import.meta.url));
  return instantiate(await WebAssembly.compile(bytes));
}
