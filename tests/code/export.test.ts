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

test("a program's source has the experiment's parameters and defaults", async () => {
  for (const kind of ["numpy", "torch"] as const) {
    for (const file of readdirSync(sources + kind).filter((name) => name.endsWith(".py"))) {
      const exported = await codeFor(kind, described(file.replace(".py", "")), {});
      const block = /^# The settings\.\n(?:.+\n)*/m.exec(exported!.text)![0];
      expect(readFileSync(`${sources}${kind}/${file}`, "utf8"), file).toContain(`\n${block}\n`);
    }
  }
});

test("no shared part takes the name of a parameter", () => {
  const parameters = new Set(descriptions.flatMap(({ params }) => params.map(({ name }) => name)));
  const defined: string[] = [];
  for (const file of readdirSync(sources + "lab").filter((name) => name.endsWith(".py"))) {
    const text = readFileSync(`${sources}lab/${file}`, "utf8");
    for (const [, name] of text.matchAll(/^(?:def|class) (\w+)/gm)) defined.push(name!);
    for (const [, names] of text.matchAll(/^(\w+(?:, \w+)*) = /gm)) defined.push(...names!.split(", "));
  }
  expect(defined).toContain("SIN");
  expect(new Set(defined).size).toBe(defined.length);
  expect(defined.filter((name) => parameters.has(name))).toEqual([]);
});

test("a text of the reader's stays a text", async () => {
  const text = 'a"""\n\\", __import__("os")';
  const numpy = await codeFor("numpy", described("attention_steps"), { text });
  expect(numpy!.text).toContain(`\ntext = ${JSON.stringify(text)}\n`);
  const cpp = await codeFor("cpp", described("attention_steps"), { text });
  expect(cpp!.text).toContain('{"text", "a\\042\\042\\042\\012\\134\\042, __import__(\\042os\\042)"},');
});
