// build/package/: what is published. Needs build/wasm/, build/workers/ and build/embed/. Run by scripts/build; prints the
// sizes and fails where an entry is over its budget.
// usage: node scripts/build_package.mjs [--out FOLDER]
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { brotliCompressSync } from "node:zlib";
import dts from "dts-bundle-generator";
import { bundle, path } from "./lib/bundle.mjs";
import { embeddedModule, safeInHtml } from "./lib/embedded.mjs";
import { billOfMaterials, licencesText, packagesOf, thirdParty } from "./lib/third_party.mjs";

const { values: options } = parseArgs({
  options: { out: { type: "string", default: path("build/package") } },
});
const out = resolve(options.out);

/**
 * The library's entries, each with a WebAssembly module and a worker of its own. `goal`: what module and script should come to,
 * brotli; above `limit` the build fails.
 */
const entries = [
  { name: "index", module: "full", worker: "worker.js", threads: true, goal: 300_000, limit: 288_000 },
  { name: "nn", module: "nn", worker: "nn.worker.js", goal: 160_000, limit: 132_000 },
  { name: "ops", module: "ops", worker: "ops.worker.js", goal: 75_000, limit: 75_000 },
];

/** The elements, together and each by itself. Budget: brotli, one figure with all that it needs for a small experiment. */
const elements = ["check", "figure", "hero", "race", "value"];
const figureBudget = 100_000;

const packages = []; // those whose code is in what is written

function write(name, data) {
  mkdirSync(dirname(`${out}/${name}`), { recursive: true });
  writeFileSync(`${out}/${name}`, data);
}

/** Bundlers know a file only by a literal that begins with a dot: another name may be a package's. */
function explicitlyRelative(code) {
  return code.replace(/new URL\(["'`](?!\.)([^"'`]+)["'`],/g, 'new URL("./$1",');
}

/**
 * Writes NAME.js, NAME.beside.js, which it asks for with the first workers, the same for Node, and what they find by
 * `new URL("…", import.meta.url)`; `threads`: also the module for several.
 */
async function writeEntry({ name, module, worker, threads }) {
  const assets = { [`${module}.wasm`]: `${module}.wasm`, [`${module}.js`]: worker };
  if (threads) Object.assign(assets, { "threads.wasm": "threads.wasm", "threads.js": "threads.worker.js" });
  const assetFileNames = ({ names: [file] }) => assets[file];
  for (const inNode of [false, true]) {
    const input = { [name]: path(`bindings/entry/${module}.ts`) };
    const end = inNode ? ".node.js" : ".js";
    const names = { entryFileNames: `[name]${end}`, chunkFileNames: `${name}.beside${end}`, assetFileNames };
    const output = await bundle(input, { inNode, split: true, output: names });
    const found = output.map(({ fileName }) => fileName).sort();
    const expected = [`${name}${end}`, `${name}.beside${end}`, ...Object.values(assets)].sort();
    if (found.join() !== expected.join()) throw new Error(`${name} is ${found}`);
    for (const { type, fileName, code, source } of output)
      write(fileName, type === "asset" ? source : explicitlyRelative(code));
    packages.push(...packagesOf(output));
  }
}

/** Everything in one script: no second request. */
async function writeSingle() {
  const head = embeddedModule(
    "full",
    readFileSync(`${out}/full.wasm`),
    readFileSync(`${out}/worker.js`, "utf8"),
  );
  for (const inNode of [false, true]) {
    const [{ code }, ...others] = await bundle("bindings/entry/single.ts", { inNode });
    if (others.length > 0) throw new Error(`single asks for ${others[0].fileName}`);
    write(inNode ? "single.node.js" : "single.js", safeInHtml(head + code));
  }
}

/**
 * elements.js and elements/NAME.js, with what they share in elements.NAME.js, beside the files that it finds: so a bundler's
 * output finds them, too, where they are copied beside it. The same for Node, where they do nothing. Gives
 * the names of the files that a figure of a small experiment needs.
 */
async function writeElements() {
  const input = { elements: path("web/embed/elements.ts") };
  for (const name of elements) input[`elements/${name}`] = path(`web/embed/elements/${name}.ts`);
  const assets = {
    "first.wasm": "first.wasm",
    "experiments.wasm": "experiments.wasm",
    "first.js": "first.worker.js",
    "experiments.js": "experiments.worker.js",
    "hashes.json": "goldens.json",
  };
  const assetFileNames = ({ names: [file] }) => assets[file];
  let figure;
  for (const inNode of [true, false]) {
    const end = inNode ? ".node.js" : ".js";
    const names = {
      entryFileNames: `[name]${end}`,
      chunkFileNames: `elements.[name]${end}`,
      assetFileNames,
    };
    const output = await bundle(input, { split: true, inNode, output: names });
    for (const { type, fileName, code, source } of output)
      write(fileName, type === "asset" ? source : explicitlyRelative(code));
    const found = output.filter(({ type }) => type === "asset").map(({ fileName }) => fileName);
    if (found.sort().join() !== Object.values(assets).sort().join())
      throw new Error(`elements find ${found}`);
    packages.push(...packagesOf(output));
    const imports = new Map(output.map(({ fileName, imports = [] }) => [fileName, imports]));
    const all = (file) => [file, ...(imports.get(file) ?? []).flatMap(all)];
    const isWords = ({ facadeModuleId }) => facadeModuleId?.endsWith("/en/vocabulary.json?first");
    figure = [...new Set(all("elements/figure.js")), output.find(isWords).fileName, "first.wasm"];
  }
  return figure;
}

function writeElementsTypes() {
  const output = { noBanner: true, exportReferencedTypes: false };
  const config = { preferredConfigPath: path("web/tsconfig.json") };
  const [types] = dts.generateDtsBundle([{ filePath: path("web/embed/types.ts"), output }], config);
  const className = (name) => `Sqrtdk${name[0].toUpperCase()}${name.slice(1)}`;
  const classes = elements
    .map(className)
    .map((name) => `export declare const ${name}: ElementClass<${name}>;\n`);
  const define = `/** Defines <PREFIX-figure>, <PREFIX-hero> and so on, each where the page has none. */
export declare function define(prefix: string): void;
`;
  write("elements.d.ts", types + classes.join("") + define);
  for (const name of elements)
    write(
      `elements/${name}.d.ts`,
      `export { ${className(name)} } from "../elements.js";\nexport type * from "../elements.js";\n`,
    );
  for (const framework of ["react", "preact"])
    write(`elements/${framework}.d.ts`, readFileSync(path(`web/embed/jsx_${framework}.d.ts`)));
  write("auto.d.ts", 'export type * from "./elements.js";\n');
}

function writeTypes() {
  const output = { noBanner: true, exportReferencedTypes: false };
  const config = { preferredConfigPath: path("bindings/tsconfig.json") };
  const files = entries.map(({ module }) => ({ filePath: path(`bindings/entry/${module}.ts`), output }));
  const texts = dts.generateDtsBundle(files, config);
  for (const [i, { name }] of entries.entries()) write(`${name}.d.ts`, texts[i]);
  write("single.d.ts", 'export * from "./index.js";\n');
}

function manifest() {
  const { name, version, description, license, keywords, engines, ...rest } = JSON.parse(
    readFileSync(path("package.json"), "utf8"),
  );
  const where = Object.fromEntries(
    ["author", "homepage", "repository", "bugs"].flatMap((key) => (rest[key] ? [[key, rest[key]]] : [])),
  );
  const library = (file) => ({
    types: `./${file}.d.ts`,
    node: `./${file}.node.js`,
    default: `./${file}.js`,
  });
  const script = (file) => ({ types: "./auto.d.ts", default: `./${file}.js` });
  const exports = {
    ".": library("index"),
    "./nn": library("nn"),
    "./ops": library("ops"),
    "./single": library("single"),
    "./elements": library("elements"),
    ...Object.fromEntries(elements.map((name) => [`./elements/${name}`, library(`elements/${name}`)])),
    "./elements/react": { types: "./elements/react.d.ts" },
    "./elements/preact": { types: "./elements/preact.d.ts" },
    "./auto": script("sqrtdk.auto"),
    "./auto.all": script("sqrtdk.auto.all"),
    "./anywidget": { types: "./anywidget.d.ts", default: "./sqrtdk.anywidget.js" },
    ...Object.fromEntries(entries.map(({ worker }) => [`./${worker.replace(".js", "")}`, `./${worker}`])),
    "./threads.worker": "./threads.worker.js",
    "./*.wasm": "./*.wasm",
    "./custom-elements.json": "./custom-elements.json",
    "./package.json": "./package.json",
  };
  const sideEffects = ["./sqrtdk.auto.js", "./sqrtdk.auto.all.js", "./elements*.js", "./elements/**"];
  return {
    name,
    version,
    description,
    keywords,
    license,
    ...where,
    type: "module",
    sideEffects,
    exports,
    customElements: "custom-elements.json",
    engines,
  };
}

/** SHA-256, and what the attribute `integrity` takes, of every other file. */
function checksums() {
  const digest = (algorithm, bytes, encoding) => createHash(algorithm).update(bytes).digest(encoding);
  const files = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(out.length + 1))
    .sort();
  return Object.fromEntries(
    files.map((file) => {
      const bytes = readFileSync(`${out}/${file}`);
      const integrity = `sha384-${digest("sha384", bytes, "base64")}`;
      return [file, { sha256: digest("sha256", bytes, "hex"), integrity }];
    }),
  );
}

function report(figure) {
  const size = (file) => brotliCompressSync(readFileSync(`${out}/${file}`)).length;
  for (const { name, module, worker, goal, limit } of entries) {
    const [wasm, script] = [size(`${module}.wasm`), size(`${name}.js`)];
    const parts = `${module}.wasm ${wasm}, ${name}.js ${script}; ${worker} ${size(worker)}`;
    console.log(`${name}: ${wasm + script} bytes, goal ${goal} (brotli): ${parts}`);
    if (wasm + script > limit) process.exitCode = 1;
  }
  const all = figure.reduce((sum, file) => sum + size(file), 0);
  console.log(`elements/figure: ${all} bytes of ${figureBudget} (brotli): ${figure.join(", ")}`);
  if (all > figureBudget) process.exitCode = 1;
  console.log(`single.js: ${size("single.js")} bytes (brotli)`);
}

rmSync(out, { recursive: true, force: true });
for (const entry of entries) await writeEntry(entry);
await writeSingle();
const figure = await writeElements();
writeTypes();
for (const file of readdirSync(path("build/embed")).filter((name) => name.endsWith(".js")))
  copyFileSync(path(`build/embed/${file}`), `${out}/${file}`);
packages.push(...JSON.parse(readFileSync(path("build/embed/packages.json"), "utf8")));
writeElementsTypes();
copyFileSync(path("web/embed/anywidget_types.d.ts"), `${out}/anywidget.d.ts`);
const about = manifest();
const parts = thirdParty(packages);
write("package.json", `${JSON.stringify(about, null, 2)}\n`);
write("LICENSES-THIRD-PARTY.txt", licencesText(parts));
write("sbom.json", `${JSON.stringify(billOfMaterials(about, parts), null, 2)}\n`);
for (const [from, to] of [
  ["LICENSE"],
  ["bindings/CHANGELOG.md", "CHANGELOG.md"],
  ["bindings/README.md", "README.md"],
  ["web/embed/custom-elements.json", "custom-elements.json"],
])
  copyFileSync(path(from), `${out}/${to ?? from}`);
write("checksums.json", `${JSON.stringify(checksums(), null, 2)}\n`);
report(figure);
