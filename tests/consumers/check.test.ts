// What the authors of other packages check in theirs.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, install } from "./consumers.ts";
import { published, tarball } from "./pack.ts";

const text = (name: string): string => readFileSync(join(published, name), "utf8");
const json = (name: string): unknown => JSON.parse(text(name));

test("publint has nothing to say", async () => {
  const place = await install("check");
  expect(await inFolder(place, "publint", "--strict", tarball())).toContain("All good!");
});

test("are-the-types-wrong finds every entry's types", async () => {
  const place = await install("check");
  // Without CommonJS, and without what is no script.
  const entries = Object.keys((json("package.json") as { exports: object }).exports);
  const scripts = entries.filter((name) => !/wasm|json|worker|react/.test(name));
  await inFolder(place, "attw", tarball(), "--profile", "esm-only", "--entrypoints", ...scripts);
});

test("every file has the checksums that are told", () => {
  const told = json("checksums.json") as Record<string, { sha256: string; integrity: string }>;
  const files = readdirSync(published, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(published.length + 1))
    .filter((name) => name !== "checksums.json");
  expect(Object.keys(told).sort()).toEqual(files.sort());
  for (const [name, { sha256, integrity }] of Object.entries(told)) {
    const digest = (algorithm: string, encoding: "hex" | "base64"): string =>
      createHash(algorithm)
        .update(readFileSync(join(published, name)))
        .digest(encoding);
    expect(sha256).toBe(digest("sha256", "hex"));
    expect(integrity).toBe(`sha384-${digest("sha384", "base64")}`);
  }
});

test("the list of components names all whose code is in it, with licences and texts", () => {
  const { metadata, components } = json("sbom.json") as {
    metadata: { component: { version: string } };
    components: { name: string; licenses: object[] }[];
  };
  expect(metadata.component.version).toBe((json("package.json") as { version: string }).version);
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["emscripten", "musl", "llvm", "lit-html", "d3-array"]));
  const texts = text("LICENSES-THIRD-PARTY.txt");
  for (const name of names) expect(texts).toContain(`\n${name} `);
});

test("the version is in the list of changes", () => {
  expect(text("CHANGELOG.md")).toContain(`## ${(json("package.json") as { version: string }).version}`);
});

test("scripts that pages hold have nothing that a parser of HTML would change", () => {
  const scripts = readdirSync(published).filter((name) => /^(single|sqrtdk\..*)\.js$/.test(name));
  expect(scripts).toEqual(expect.arrayContaining(["single.js", "sqrtdk.auto.js", "sqrtdk.auto.all.js"]));
  for (const name of scripts) {
    expect(/[\0\r]|<!--|<\/?script/i.exec(text(name)), name).toBeNull();
  }
});
