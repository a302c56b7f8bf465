// The exported NumPy programs print the numbers of the page.
import { expect, test } from "vitest";
import { codeKinds } from "../../web/elements/code_export.ts";
import { compare } from "./compare.ts";
import { descriptions, python, pythonWith, written } from "./programs.ts";
import { others } from "./settings.ts";

const withNumpy = pythonWith("numpy");

test("every program has other settings to be tried with", () => {
  const ids = descriptions.filter((each) => codeKinds(each).includes("numpy")).map(({ id }) => id);
  expect(ids.sort()).toEqual(Object.keys(others).sort());
});

test.skipIf(withNumpy === undefined && !process.env.CI)(
  "NumPy is installed (else: apt-get install python3-numpy)",
  () => {
    expect(withNumpy).toBeDefined();
  },
);

for (const [id, params] of Object.entries(others)) {
  test.skipIf(withNumpy === undefined)(`${id}: the defaults, and other settings`, async () => {
    for (const each of [{}, ...params]) {
      const path = await written("numpy", id, each);
      compare(path, await python(withNumpy!, path), id, each);
    }
  });
}
