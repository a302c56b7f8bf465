// The exported C++ program prints the page's numbers, every digit of them.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Labels } from "../../bindings/api/types.ts";
import { native, printed, run, shown, written } from "./programs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const library = join(root, "build/native/libsqrtdk_core.a");

/** Compiles and runs an experiment's program; gives what it prints. */
async function output(id: string, params: Labels): Promise<string> {
  const source = await written("cpp", id, params);
  const program = join(dirname(source), id);
  const compiler = process.env.CXX ?? "c++";
  await run(compiler, ["-std=c++20", "-I", join(root, "src"), source, library, "-o", program]);
  const { stdout } = await run(program, [], { maxBuffer: 1 << 26 });
  return stdout;
}

const settings: readonly (readonly [string, Labels])[] = [
  ["softmax_overflow", {}],
  ["attention_steps", { mode: "search", query: 'an "end"\\n // ??/', documents: "1 {2}\n除以\t√d; \\0" }],
];
test.skipIf(!existsSync(library)).each(settings)("%s", async (id, params) => {
  const { lines, numbers } = printed(await output(id, params));
  const result = native(id, params);
  expect(lines).toEqual(result.lines);
  expect(numbers).toEqual(shown(result).scalars);
});
