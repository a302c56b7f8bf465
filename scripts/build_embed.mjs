// build/site/embed/sqrtdk.auto.js: elements, kernels, worker, styles and words in one file for other people's pages;
// and sqrtdk.experiments.js, which that loads where an experiment needs it. Needs build/wasm/ and build/workers/.
// Run by scripts/build; fails where the one file is over its budget.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { rolldown } from "rolldown";
import { stylesheet } from "./lib/stylesheet.mjs";
import { words } from "../web/page/words.mjs";

const budget = 100_000; // bytes, brotli

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const out = path("build/site/embed");

/** A string literal with its characters as they are: compresses like the bytes themselves, base64 a third worse. */
function literal(text) {
  const escapes = { "\n": "\\n", "\r": "\\r" };
  return `"${text.replace(/["\\\n\r]/g, (character) => escapes[character] ?? `\\${character}`)}"`;
}

/** What stands at the head of a file; a minifier would write some of the characters as escapes. */
function embedded(module) {
  const wasm = literal(readFileSync(path(`build/wasm/${module}.wasm`), "latin1"));
  const worker = literal(readFileSync(path(`build/workers/${module}.js`), "utf8"));
  return `const sqrtdk_${module}={wasm:${wasm},worker:${worker}};`;
}

/** Style sheets as text: "….css?text". */
const texts = {
  name: "texts",
  resolveId: (id, from) =>
    id.endsWith(".css?text")
      ? fileURLToPath(new URL(encodeURI(id).replace("?", "%3F"), `file://${from}`))
      : null,
  load(id) {
    const [, file] = /^(.*\.css)\?text$/.exec(id) ?? [];
    return file ? { code: `export default ${JSON.stringify(stylesheet(file))}`, moduleType: "js" } : null;
  },
};

const build = await rolldown({
  input: { "sqrtdk.auto": path("web/embed/auto.ts") },
  plugins: [words(), texts],
  preserveEntrySignatures: "allow-extension", // what both files use stays in the first
  transform: { define: { "process.env.NODE_ENV": '"production"' } },
});

/** The codes of sqrtdk.auto.js and sqrtdk.experiments.js, and what the former exports. */
async function files(format) {
  const names = { entryFileNames: "[name].js", chunkFileNames: "sqrtdk.[name].js" };
  const { output } = await build.generate({ format, minify: true, ...names });
  const [auto, experiments] = output.sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
  if (output.map(({ fileName }) => fileName).join() !== "sqrtdk.auto.js,sqrtdk.experiments.js")
    throw new Error(`expected two files, got ${output.map(({ fileName }) => fileName)}`);
  return { auto: auto.code, experiments: experiments.code, shared: auto.exports.join() };
}

const [esm, cjs] = [await files("esm"), await files("cjs")];
if (esm.shared !== cjs.shared) throw new Error("the two formats name the shared parts in different ways");

/** Writes a file; gives its size, brotli. */
function write(name, code) {
  writeFileSync(`${out}/${name}`, code);
  return brotliCompressSync(code).length;
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const size = write("sqrtdk.auto.js", embedded("first") + esm.auto);
// The second is a function of what the first exports: see auto.ts.
const more = write(
  "sqrtdk.experiments.js",
  `${embedded("experiments")}export default shared=>{const exports={},require=()=>shared;${cjs.experiments};return exports}`,
);
console.log(`embed/sqrtdk.auto.js: ${(size / 1000).toFixed(1)} kB of ${budget / 1000} kB (brotli)`);
console.log(`embed/sqrtdk.experiments.js: ${(more / 1000).toFixed(1)} kB`);
if (size > budget) process.exit(1);
