// build/site/embed/sqrtdk.auto.js: elements, kernels, worker, styles and words in one file for other people's
// pages. Needs build/figures/. Run by scripts/build; fails where the file is over its budget.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { rolldown } from "rolldown";

const budget = 100_000; // bytes, brotli

const root = fileURLToPath(new URL("..", import.meta.url));
const out = `${root}build/site/embed`;
const read = (path, encoding = "utf8") => readFileSync(`${root}${path}`, encoding);

/** A string literal with its characters as they are: compresses like the bytes themselves, base64 a third worse. */
function literal(text) {
  const escapes = { "\n": "\\n", "\r": "\\r" };
  return `"${text.replace(/["\\\n\r]/g, (character) => escapes[character] ?? `\\${character}`)}"`;
}

/** With its imports in their places. */
function stylesheet(path) {
  const text = read(path).replace(/@import "\.\/(.+?)";/g, (_, name) => stylesheet(`web/styles/${name}`));
  return text
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1");
}

const parts = {
  kernels: literal(read("build/figures/kernels.wasm", "latin1")),
  worker: literal(read("build/figures/worker.js")),
  styles: literal(stylesheet("web/styles/tokens.css") + stylesheet("web/styles/figure.css")),
};

const self_contained = {
  name: "self-contained",
  resolveId(id, from) {
    if (id === "sqrtdk:embedded") return id;
    return /\/bindings\/index\.ts$/.test(id) && from ? `${root}build/figures/index.js` : null;
  },
  load(id) {
    // Marks that outlive minifying; the parts take their places afterwards.
    const lines = Object.keys(parts).map((name) => `export const ${name} = "sqrtdk part ${name}";`);
    return id === "sqrtdk:embedded" ? lines.join("\n") : null;
  },
  transform(code, id) {
    if (!id.endsWith("build/figures/index.js")) return null;
    const address = /new URL\((["'`])\.\/(kernels\.wasm|worker\.js)\1,\s*import\.meta\.url\)/g;
    if (code.match(address)?.length !== 2) throw new Error(`${id}: its two addresses are not as expected`);
    return code.replace(address, 'new URL("about:blank")');
  },
};

const build = await rolldown({
  input: `${root}web/embed/auto.ts`,
  plugins: [self_contained],
  transform: { define: { "process.env.NODE_ENV": '"production"' } },
});
const { output } = await build.generate({ format: "esm", minify: true, codeSplitting: false });
if (output.length !== 1) throw new Error(`expected one file, got ${output.map((file) => file.fileName)}`);

let code = output[0].code;
for (const [name, text] of Object.entries(parts)) {
  const pieces = code.split(new RegExp(`["'\`]sqrtdk part ${name}["'\`]`));
  if (pieces.length !== 2) throw new Error(`the mark of ${name} stands ${pieces.length - 1} times`);
  code = pieces.join(text);
}

mkdirSync(out, { recursive: true });
writeFileSync(`${out}/sqrtdk.auto.js`, code);
const size = brotliCompressSync(code).length;
console.log(`embed/sqrtdk.auto.js: ${(size / 1000).toFixed(1)} kB of ${budget / 1000} kB (brotli)`);
if (size > budget) process.exit(1);
