// The exported C++ program prints the page's numbers, every digit of them.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Labels } from "../../bindings/api/types.ts";
import { codeFor, codeKinds } from "../../web/elements/code_export.ts";
import { described, descriptions, native, printed, run, shown, written } from "./programs.ts";

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

test("there is one for every experiment but those that measure times", () => {
  for (const each of descriptions) expect(codeKinds(each).includes("cpp"), each.id).toBe(!each.timed);
});

test("no code has a reader's own file", async () => {
  const own = descriptions.filter(({ params }) => params.some(({ type }) => type === "file"));
  expect(own).not.toEqual([]);
  for (const each of own) {
    const file = each.params.find(({ type }) => type === "file")!.name;
    expect(await codeFor("cpp", each, { [file]: "3 bytes, 0123456789abcdef" })).toBeUndefined();
    expect(await codeFor("cpp", each, {})).toBeDefined();
  }
});

test("what is no number is refused", async () => {
  const hostile = codeFor("numpy", described("softmax_saturation"), { trials: "__import__('os')" });
  await expect(hostile).rejects.toThrow(RangeError);
});
