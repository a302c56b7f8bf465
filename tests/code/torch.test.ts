// The exported PyTorch programs print the numbers of the page, where PyTorch is installed.
import { expect, test } from "vitest";
import { codeKinds } from "../../web/elements/code_export.ts";
import { compare } from "./compare.ts";
import { descriptions, pythonWith } from "./programs.ts";
import { others } from "./settings.ts";

const python = pythonWith("numpy", "torch");
const ids = descriptions.filter((each) => codeKinds(each).includes("torch")).map(({ id }) => id);

test("there are such programs", () => {
  expect(ids).toContain("article_snippet");
});

for (const id of ids) {
  test.skipIf(python === undefined)(`${id}: the defaults, and other settings`, async () => {
    for (const params of [{}, others[id]![0]!]) await compare(python!, "torch", id, params);
  });
}
