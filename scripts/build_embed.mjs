// build/embed/: the scripts that hold everything in one file, for other people's pages: sqrtdk.auto.js with the small
// experiments, sqrtdk.auto.all.js with every one, both as modules and as classic scripts; sqrtdk.experiments.js, which the
// former asks for where a page wants another experiment; and sqrtdk.anywidget.js, for notebooks. Needs build/wasm/,
// build/workers/ and the native command. Run by scripts/build; fails where a script is over its budget.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { minifySync } from "rolldown/utils";
import { bundle, path } from "./lib/bundle.mjs";
import { byteOrderMark, embeddedModule, safeInHtml } from "./lib/embedded.mjs";
import { packagesOf } from "./lib/third_party.mjs";

const budgets = { "sqrtdk.auto.js": 100_000, "sqrtdk.auto.all.js": 380_000, "sqrtdk.anywidget.js": 380_000 }; // bytes, brotli

const out = path("build/embed");
const packages = new Set(); // whose code is in them
async function embedded(module) {
  const [{ code }] = await bundle(`bindings/entry/worker_${module}.ts`, { format: "iife" });
  return embeddedModule(module, readFileSync(path(`build/wasm/${module}.wasm`)), code);
}
const heads = { first: await embedded("first"), experiments: await embedded("experiments") };

/**
 * A script that is neither a module nor needs to be a classic one, of statements. Where there is no document, it does
 * nothing: a server may import it.
 */
function inPages(statements) {
  return `${byteOrderMark}"document"in globalThis&&(()=>{"use strict";${statements}})();\n`;
}

/** Minified code has line ends in templates alone: what stands after them there is only for who reads the source. */
const withoutIndents = (code) => code.replace(/\n[ \n]+/g, "\n");

async function bundled(input, options) {
  const output = await bundle(input, options);
  for (const name of packagesOf(output)) packages.add(name);
  return output;
}

/**
 * The body of a CommonJS module as a function of `exports` and `require`: minified, so that neither name is left by which
 * publint and others would take the whole file for such a module.
 */
function ofModules(name, code) {
  const { code: short, errors } = minifySync(name, `export default(exports,require)=>{${code}}`);
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  return /^export default(.*?);?\s*$/s.exec(short)[1];
}

/** sqrtdk.auto.js, and sqrtdk.experiments.js as a function of what the former has that it uses. */
async function inTwoFiles() {
  const names = { entryFileNames: "[name].js", chunkFileNames: "sqrtdk.[name].js" };
  const options = { format: "cjs", split: true, output: names };
  const output = await bundled({ "sqrtdk.auto": path("web/embed/auto.ts") }, options);
  const [auto, experiments] = output.sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
  if (output.map(({ fileName }) => fileName).join() !== "sqrtdk.auto.js,sqrtdk.experiments.js")
    throw new Error(`expected two files, got ${output.map(({ fileName }) => fileName)}`);
  // Relative to the script, be it a module or not; `import.meta` would be an error in a classic one. A classic script of
  // another origin without `crossorigin` has nothing to be relative to, but knows its own address while it is first run.
  const statements = `const shared={},ownAddress=document.currentScript?.src;
(${ofModules(auto.fileName, auto.code)})(shared,()=>import("./sqrtdk.experiments.js").catch(error=>{
if(!ownAddress)throw error;
return import(/* webpackIgnore: true *//* @vite-ignore */new URL("sqrtdk.experiments.js",ownAddress).href)
}).then((file)=>file.default(shared)));`;
  return {
    "sqrtdk.auto.js": inPages(heads.first + statements),
    "sqrtdk.experiments.js": `${heads.experiments}export default shared=>{const own={};(${ofModules(experiments.fileName, experiments.code)})(own,()=>shared);return own}\n`,
  };
}

async function inOneFile() {
  const [{ code }] = await bundled("web/embed/auto_all.ts", { format: "iife" });
  return { "sqrtdk.auto.all.js": inPages(`${heads.first}${heads.experiments}${code}`) };
}

/** A module that notebooks import from a blob. Where there is no document, what it exports shows nothing. */
async function forNotebooks() {
  const name = "sqrtdk_widget";
  const [{ code }] = await bundled("web/embed/anywidget.ts", { format: "iife", output: { name } });
  const statements = `${heads.first}${heads.experiments}${code}return ${name}`;
  const module = `export default"document"in globalThis?(()=>{${statements}})():{render(){}};\n`;
  return { "sqrtdk.anywidget.js": byteOrderMark + module };
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const scripts = [await inTwoFiles(), await inOneFile(), await forNotebooks()];
for (const [name, code] of scripts.flatMap(Object.entries)) {
  const safe = safeInHtml(withoutIndents(code));
  writeFileSync(`${out}/${name}`, safe);
  const [size, budget] = [brotliCompressSync(safe).length, budgets[name] ?? Infinity];
  const of = name in budgets ? ` of ${budget / 1000} kB` : "";
  console.log(`embed/${name}: ${(size / 1000).toFixed(1)} kB${of} (brotli)`);
  if (size > budget) process.exitCode = 1;
}
writeFileSync(`${out}/packages.json`, JSON.stringify([...packages].sort()));
