// build/workers/: the worker of each module, a script of its own; build/package/: what is published. Needs build/wasm/.
// Run by scripts/build; prints the sizes and fails where the kernels are over their budget.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import dts from "dts-bundle-generator";
import { rolldown } from "rolldown";

const budget = 300_000; // bytes of kernels.wasm and its glue as it is shipped, brotli

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const workers = path("build/workers");
const out = path("build/package");

/** The published names of the files that an entry finds by `new URL("…", import.meta.url)`. */
const published = { "full.wasm": "kernels.wasm", "full.js": "worker.js" };

/** One script of `input` and all that it imports, and the files that it finds by address. */
async function bundle(input, format) {
  const build = await rolldown({ input: path(input), experimental: { resolveNewUrlToAsset: true } });
  const assetFileNames = ({ names: [name] }) => published[name];
  const { output } = await build.generate({ format, minify: true, codeSplitting: false, assetFileNames });
  const [{ code }, ...assets] = output;
  return { code, assets };
}

async function buildWorkers() {
  rmSync(workers, { recursive: true, force: true });
  mkdirSync(workers, { recursive: true });
  for (const module of ["first", "experiments", "full"]) {
    const { code, assets } = await bundle(`bindings/entry/worker_${module}.ts`, "iife");
    if (assets.length > 0) throw new Error(`the worker of ${module} asks for ${assets[0].fileName}`);
    writeFileSync(`${workers}/${module}.js`, code);
  }
}

/** Bundlers know a file only by a literal that begins with "./": another name may be a package's. */
function explicitlyRelative(code) {
  const addresses = /new URL\(["'`](kernels\.wasm|worker\.js)["'`],/g;
  const found = [...code.matchAll(addresses)].map(([, file]) => file);
  if (found.sort().join() !== "kernels.wasm,worker.js") throw new Error(`the package asks for ${found}`);
  return code.replaceAll(addresses, 'new URL("./$1",');
}

function declarations() {
  const output = { noBanner: true, exportReferencedTypes: false };
  const options = { preferredConfigPath: path("bindings/tsconfig.json") };
  const [text] = dts.generateDtsBundle([{ filePath: path("bindings/entry/full.ts"), output }], options);
  return text;
}

function manifest() {
  const { name, version, description, license, engines } = JSON.parse(
    readFileSync(path("package.json"), "utf8"),
  );
  const exports = {
    ".": { types: "./index.d.ts", default: "./index.js" },
    "./worker.js": "./worker.js",
    "./kernels.wasm": "./kernels.wasm",
    "./package.json": "./package.json",
  };
  return { name, version, description, license, type: "module", sideEffects: false, exports, engines };
}

async function buildPackage() {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { code, assets } = await bundle("bindings/entry/full.ts", "esm");
  const names = assets.map(({ fileName }) => fileName).sort();
  if (names.join() !== "kernels.wasm,worker.js") throw new Error(`the package finds ${names}`);
  for (const { fileName, source } of assets) writeFileSync(`${out}/${fileName}`, source);
  writeFileSync(`${out}/index.js`, explicitlyRelative(code));
  writeFileSync(`${out}/index.d.ts`, declarations());
  writeFileSync(`${out}/package.json`, `${JSON.stringify(manifest(), null, 2)}\n`);
  copyFileSync(path("LICENSE"), `${out}/LICENSE`);
  copyFileSync(path("bindings/README.md"), `${out}/README.md`);
}

async function reportSizes() {
  const size = (text) => brotliCompressSync(text).length;
  for (const file of ["kernels.wasm", "index.js", "worker.js"]) {
    const bytes = readFileSync(`${out}/${file}`);
    console.log(`${file.padEnd(12)} ${bytes.length} bytes, ${size(bytes)} brotli`);
  }
  const glue = await bundle("build/wasm/full.mjs", "esm");
  const kernels = size(readFileSync(`${out}/kernels.wasm`)) + size(glue.code);
  console.log(`kernels.wasm and its glue: ${kernels} bytes brotli of ${budget}`);
  if (kernels > budget) process.exit(1);
}

await buildWorkers(); // of which the package takes one
await buildPackage();
await reportSizes();
