// The built package as people get it: its types say no more than is there for them, and bundlers find its files.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { build } from "vite";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../build/package/", import.meta.url));

/** The names that a file declares at its top, and those of them that it exports. */
function declarationsOf(file: string): { declared: Set<string>; exported: Set<string> } {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  const [declared, exported] = [new Set<string>(), new Set<string>()];
  for (const statement of source.statements) {
    if (
      ts.isExportDeclaration(statement) &&
      statement.exportClause &&
      ts.isNamedExports(statement.exportClause)
    ) {
      for (const { name, propertyName } of statement.exportClause.elements)
        exported.add((propertyName ?? name).text);
      continue;
    }
    const names = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map(({ name }) => name.getText(source))
      : "name" in statement
        ? [(statement.name as ts.Identifier).text]
        : [];
    const flags = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    for (const name of names) {
      declared.add(name);
      if (flags.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) exported.add(name);
    }
  }
  return { declared, exported };
}

it("has no types of what crosses to C++ or to a worker", () => {
  const { declared, exported } = declarationsOf(join(folder, "index.d.ts"));
  expect(exported.size).toBeGreaterThan(100);
  const inside = ["raw", "signature", "tensor", "handle", "scope", "runner", "listing"].flatMap((file) => [
    ...declarationsOf(fileURLToPath(new URL(`../../bindings/api/${file}.ts`, import.meta.url))).exported,
  ]);
  expect(inside).toContain("Border");
  // What people hold extends these.
  const messages = fileURLToPath(new URL("../../bindings/worker/messages.ts", import.meta.url));
  const crossing = [...declarationsOf(messages).exported].filter((name) => name !== "WorkerLike");
  expect(crossing.filter((name) => declared.has(name))).toEqual([]);
  const held = ["Tensor", "TensorLike", "TensorView", "Mask", "Ids", "Values", "Owned", "Handle"];
  expect(inside.filter((name) => declared.has(name)).sort()).toEqual(held.sort());
});

const modules = { index: "full", nn: "nn", ops: "ops" };
const workers = { index: "worker.js", nn: "nn.worker.js", ops: "ops.worker.js" };
const entries = Object.keys(modules) as (keyof typeof modules)[];
const text = (name: string): string => readFileSync(join(folder, name), "utf8");

it("names its files so that bundlers find them", async () => {
  const place = mkdtempSync(join(tmpdir(), "sqrtdk-"));
  try {
    cpSync(folder, join(place, "node_modules/sqrtdk"), { recursive: true });
    mkdirSync(join(place, "src"));
    writeFileSync(join(place, "index.html"), '<script type="module" src="./src/main.js"></script>');
    writeFileSync(join(place, "src/main.js"), 'import { load } from "sqrtdk"; load({ worker: true });');
    const result = await build({
      root: place,
      configFile: false,
      logLevel: "silent",
      build: { write: false },
    });
    const { output } = (Array.isArray(result) ? result[0] : result) as {
      output: { fileName: string; code?: string; source?: string | Uint8Array }[];
    };
    const files = output.map(({ fileName }) => fileName);
    const [wasm, worker] = [/full-\w*[^/]*\.wasm$/, /worker-\w*[^/]*\.js$/].map((name) =>
      files.find((file) => name.test(file)),
    );
    expect([wasm, worker]).not.toContain(undefined);
    const { code } = output.find(({ fileName }) => /index-[^/]*\.js$/.test(fileName))!;
    for (const file of [wasm!, worker!]) expect(code).toContain(file.split("/").at(-1));
    const { source } = output.find(({ fileName }) => fileName === wasm)!;
    expect(source).toHaveLength(readFileSync(join(folder, "full.wasm")).length);
  } finally {
    rmSync(place, { recursive: true });
  }
});

it.each(entries)("%s gives each of its addresses as a literal relative to the file", (name) => {
  for (const file of [`${name}.js`, `${name}.node.js`]) {
    const addresses = [...text(file).matchAll(/new URL\(([^()]*),import\.meta\.url\)/g)].map(
      ([, given]) => given,
    );
    expect(addresses.sort()).toEqual([`"./${modules[name]}.wasm"`, `"./${workers[name]}"`].sort());
  }
});

it("asks browsers for nothing of Node", () => {
  const scripts = [
    ...entries.map((name) => `${name}.js`),
    "single.js",
    "sqrtdk.auto.js",
    "sqrtdk.auto.all.js",
    "sqrtdk.anywidget.js",
  ];
  for (const name of scripts)
    expect(/\bprocess\.|typeof process|node:|\brequire\("(?!\.\/sqrtdk)/.exec(text(name)), name).toBeNull();
});

it("has in smaller entries no more than they say", () => {
  const kept = (name: string, word: string): boolean =>
    readFileSync(join(folder, name), "latin1").includes(word);
  for (const [word, holders] of Object.entries({
    attention_forward: ["full", "nn", "ops"],
    make_layer: ["full", "nn"],
    load_llama2c: ["full", "nn"],
    run_experiment: ["full"],
    make_trainer: ["full"],
  })) {
    expect(
      Object.values(modules)
        .filter((name) => kept(`${name}.wasm`, word))
        .sort(),
      word,
    ).toEqual(holders);
    const scripts = entries.filter((name) => kept(`${name}.js`, `${word}(`));
    expect(scripts.map((name) => modules[name]).sort(), word).toEqual(holders);
  }
});

it("is made of the same bytes again", () => {
  const again = mkdtempSync(join(tmpdir(), "sqrtdk-"));
  const filesOf = (place: string): string[] =>
    readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(place.length).replace(/^\//, ""))
      .sort();
  try {
    execFileSync("node", ["scripts/build_package.mjs", "--out", again], { stdio: "pipe" });
    expect(filesOf(again)).toEqual(filesOf(folder));
    for (const name of filesOf(again))
      expect(readFileSync(join(again, name)).equals(readFileSync(join(folder, name))), name).toBe(true);
  } finally {
    rmSync(again, { recursive: true });
  }
});
