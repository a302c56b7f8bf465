// build/site/embed/sqrtdk.auto.js: elements, kernels, worker, styles and words in one file for other people's
// pages; and sqrtdk.layers.js, which that loads where an experiment needs it. Needs build/figures/ and build/layers/.
// Run by scripts/build; fails where the one file is over its budget.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { rolldown } from "rolldown";
import { stylesheet } from "./lib/stylesheet.mjs";
import { words } from "../web/page/words.mjs";

const budget = 100_000; // bytes, brotli

const root = fileURLToPath(new URL("..", import.meta.url));
const out = `${root}build/site/embed`;
const read = (path, encoding = "utf8") => readFileSync(`${root}${path}`, encoding);

/** A string literal with its characters as they are: compresses like the bytes themselves, base64 a third worse. */
function literal(text) {
  const escapes = { "\n": "\\n", "\r": "\\r" };
  return `"${text.replace(/["\\\n\r]/g, (character) => escapes[character] ?? `\\${character}`)}"`;
}

const styles = literal(
  stylesheet(`${root}web/styles/tokens.css`) + stylesheet(`${root}web/styles/figure.css`),
);

/** Texts that take the places of marks: minifying leaves them alone. */
const partsOf = (module) => ({
  kernels: literal(read(`build/${module}/kernels.wasm`, "latin1")),
  worker: literal(read(`build/${module}/worker.js`)),
  styles,
});
const mark = (name) => `sqrtdk part ${name}`;

const selfContained = (module) => ({
  name: "self-contained",
  resolveId(id, from) {
    if (id === "sqrtdk:embedded") return id;
    if (id.endsWith("?raw")) return fileURLToPath(new URL(id, `file://${from}`)) + "?raw";
    return /\/bindings\/index\.ts$/.test(id) && from ? `${root}build/${module}/index.js` : null;
  },
  load(id) {
    if (id.endsWith("?raw")) return `export default ${JSON.stringify(readFileSync(id.slice(0, -4), "utf8"))}`;
    const lines = ["kernels", "worker", "styles"].map((name) => `export const ${name} = "${mark(name)}";`);
    return id === "sqrtdk:embedded" ? lines.join("\n") : null;
  },
  transform(code, id) {
    if (!id.endsWith(`build/${module}/index.js`)) return null;
    const address = /new URL\((["'`])\.\/(kernels\.wasm|worker\.js)\1,\s*import\.meta\.url\)/g;
    if (code.match(address)?.length !== 2) throw new Error(`${id}: its two addresses are not as expected`);
    return code.replace(address, 'new URL("about:blank")');
  },
});

/** The files that `input` becomes, by name: its own, and one for each of its own dynamic imports. */
async function bundle(name, input, module) {
  const build = await rolldown({
    input: { [name]: `${root}web/embed/${input}` },
    plugins: [words(), selfContained(module)],
    preserveEntrySignatures: "allow-extension", // what both files use stays in the first
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const names = { entryFileNames: "[name].js", chunkFileNames: "sqrtdk.[name].js" };
  const { output } = await build.generate({ format: "esm", minify: true, ...names });
  return Object.fromEntries(output.map((file) => [file.fileName, file.code]));
}

/** [[a, b], [c, c]] of "a as b, c". */
const pairs = (list) => list.split(",").map((pair) => [pair.split(" as ")[0], pair.split(" as ").at(-1)]);
const object = (pairs) => `{${pairs.map((pair) => pair.join(":")).join(",")}}`;
const swapped = (pairs) => pairs.map(([from, to]) => [to, from]);

/**
 * `elements` imports from `auto`, by its name: under another name or with a query that would be loaded a second time,
 * and with it Lit, which a strict policy forbids. So `elements` becomes a function, exported by `layers`, that `auto`
 * calls with what it shares. Gives the two files.
 */
function join(auto, elements, layers) {
  const last = /export\{([^{}]*)\};?\s*$/;
  const first = /^import\{([^{}]*)\}from"\.\/sqrtdk\.auto\.js";/;
  const [shared, made, wanted] = [last.exec(auto), last.exec(elements), first.exec(elements)];
  const pieces = auto.replace(last, "").split("import(`./sqrtdk.elements.js`)");
  const inside = elements.replace(first, "").replace(last, "");
  if (!shared || !made || !wanted || pieces.length !== 2 || /\b(import|export)\b/.test(inside))
    throw new Error("sqrtdk.auto.js and its elements are not joined as expected");
  const call = `import("./sqrtdk.layers.js").then(e=>e.elements(${object(swapped(pairs(shared[1])))}))`;
  const result = object(swapped(pairs(made[1])));
  return [
    pieces.join(call),
    `${layers}\nexport const elements=(${object(pairs(wanted[1]))})=>{${inside};return${result}};`,
  ];
}

/** Writes build/site/embed/`name` with its parts in their places; gives its size, brotli. */
function write(name, code, module) {
  for (const [part, text] of Object.entries(partsOf(module))) {
    const pieces = code.split(new RegExp(`["'\`]${mark(part)}["'\`]`));
    if (pieces.length > 2) throw new Error(`${name}: the mark of ${part} stands ${pieces.length - 1} times`);
    code = pieces.join(text);
  }
  writeFileSync(`${out}/${name}`, code);
  return brotliCompressSync(code).length;
}

mkdirSync(out, { recursive: true });
const bundles = {
  ...(await bundle("sqrtdk.auto", "auto.ts", "figures")),
  ...(await bundle("sqrtdk.layers", "layers.ts", "layers")),
};
const names = ["sqrtdk.auto.js", "sqrtdk.elements.js", "sqrtdk.layers.js"];
if (Object.keys(bundles).sort().join() !== names.join())
  throw new Error(`expected ${names.join()}, got ${Object.keys(bundles).join()}`);

const [auto, layers] = join(...names.map((name) => bundles[name]));
const size = write("sqrtdk.auto.js", auto, "figures");
const more = write("sqrtdk.layers.js", layers, "layers");
console.log(`embed/sqrtdk.auto.js: ${(size / 1000).toFixed(1)} kB of ${budget / 1000} kB (brotli)`);
console.log(`embed/sqrtdk.layers.js: ${(more / 1000).toFixed(1)} kB`);
if (size > budget) process.exit(1);
