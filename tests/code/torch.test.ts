// The exported PyTorch programs print the numbers of the page, where PyTorch is installed.
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { codeKinds } from "../../web/elements/code_export.ts";
import { compare } from "./compare.ts";
import { descriptions, python, pythonWith, written } from "./programs.ts";
import { others } from "./settings.ts";

const withTorch = pythonWith("numpy", "torch");
const ids = descriptions.filter((each) => codeKinds(each).includes("torch")).map(({ id }) => id);
const runs = ids.flatMap((id) => [{}, ...others[id]!].map((params) => ({ id, params, path: "" })));

/** Loads PyTorch once, which takes longer than most programs; each runs in a process of its own. */
const runAll = `
import os, runpy, sys, torch
for path in sys.argv[1:]:
    process = os.fork()
    if process == 0:
        sys.stdout = open(path + ".out", "w")
        runpy.run_path(path, run_name="__main__")
        sys.exit()
    if os.waitpid(process, 0)[1] != 0:
        sys.exit(path)
`;

beforeAll(async () => {
  if (withTorch === undefined) return;
  for (const each of runs) each.path = await written("torch", each.id, each.params);
  await python(withTorch, "-c", runAll, ...runs.map(({ path }) => path));
}, 300_000);

test("there are such programs", () => {
  expect(ids).toContain("article_snippet");
});

test.skipIf(withTorch === undefined).each(runs)("$id $params", ({ id, params, path }) => {
  compare(path, readFileSync(`${path}.out`, "utf8"), id, params);
});
