// What is exported, and with which settings.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { codeFor, codeKinds } from "../../web/elements/code_export.ts";
import { described, descriptions } from "./programs.ts";

const sources = fileURLToPath(new URL("../../web/code/", import.meta.url));

test("there is C++ for every experiment but those that measure times", () => {
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

/** The names that a Python text defines at its top. */
function defined(text: string): string[] {
  const named = [...text.matchAll(/^(?:def|class) (\w+)/gm)].map(([, name]) => name!);
  const assigned = [...text.matchAll(/^(\w+(?:, \w+)*) = /gm)].flatMap(([, names]) => names!.split(", "));
  return [...named, ...assigned];
}

function pythonFiles(folder: string): string[] {
  return readdirSync(sources + folder).filter((name) => name.endsWith(".py"));
}

test.each(["numpy", "torch"] as const)("a source in %s has the parameters and defaults", async (kind) => {
  for (const file of pythonFiles(kind)) {
    const exported = await codeFor(kind, described(file.replace(".py", "")), {});
    const block = /^# The settings\.\n(?:.+\n)*/m.exec(exported!.text)![0];
    expect(readFileSync(`${sources}${kind}/${file}`, "utf8"), file).toContain(`\n${block}\n`);
  }
});

test("shared parts take the names neither of parameters nor of each other", async () => {
  const shared = pythonFiles("lab").flatMap((file) => defined(readFileSync(`${sources}lab/${file}`, "utf8")));
  const parameters = new Set(descriptions.flatMap(({ params }) => params.map(({ name }) => name)));
  expect(shared).toContain("SIN");
  expect(shared.filter((name) => parameters.has(name))).toEqual([]);
  for (const kind of ["numpy", "torch"] as const) {
    for (const file of pythonFiles(kind)) {
      const { text } = (await codeFor(kind, described(file.replace(".py", "")), {}))!;
      const parts = defined(text.slice(0, text.indexOf("\n# The experiment.\n")));
      expect(new Set(parts).size, file).toBe(parts.length);
    }
  }
});

test("a text of the reader's stays a text", async () => {
  const text = 'a"""\n\\", __import__("os")';
  const numpy = await codeFor("numpy", described("attention_steps"), { text });
  expect(numpy!.text).toContain(`\ntext = ${JSON.stringify(text)}\n`);
  const cpp = await codeFor("cpp", described("attention_steps"), { text });
  expect(cpp!.text).toContain('{"text", "a\\042\\042\\042\\012\\134\\042, __import__(\\042os\\042)"},');
});
