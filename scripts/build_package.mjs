// build/package/: what is published; build/figures/ and build/layers/: experiments, with the latter's trainers, of which
// the page and the embed are made. Needs build/wasm/. Run by scripts/build; prints the sizes and fails where the kernels are over
// their budget.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { rolldown } from "rolldown";

const budget = 300_000; // bytes of kernels.wasm and its glue as it is shipped, brotli

const root = fileURLToPath(new URL("..", import.meta.url));
const wasmFolder = `${root}build/wasm`;
const out = `${root}build/package`;

const locations = `
export const wasmLocation = () => new URL("./kernels.wasm", import.meta.url);
export const workerLocation = () => new URL("./worker.js", import.meta.url);
`;

/** What the smaller modules have in the place of files of bindings/. */
const parts = {
  figures: { "./api.ts": "figures.ts", "./training.ts": "without_training.ts" },
  layers: { "./api.ts": "races.ts" },
};

/** Everything lies beside index.js; the glue's own address of the module, never used, would be a second asset. */
const packageLayout = (module) => ({
  name: "package-layout",
  resolveId(id) {
    if (id.endsWith("/kernels.mjs")) return `${wasmFolder}/${module}.mjs`;
    const file = parts[module]?.[id];
    return file ? `${root}bindings/${file}` : null;
  },
  load: (id) => (id.endsWith("/bindings/locations.ts") ? locations : null),
  transform(code, id) {
    if (!id.endsWith(`/${module}.mjs`)) return null;
    const own = /new URL\((["'])\w+\.wasm\1,\s*import\.meta\.url\)(\.toString\(\)|\.href)/g;
    if (!own.test(code)) throw new Error(`${id}: the glue does not name its wasm as expected`);
    return code.replace(own, '"kernels.wasm"').replaceAll("import.meta.url", '""');
  },
});

async function bundle(input, format, module = "kernels") {
  const build = await rolldown({ input, plugins: [packageLayout(module)], treeshake: true });
  const { output } = await build.generate({ format, minify: true, codeSplitting: false });
  if (output.length !== 1)
    throw new Error(`${input}: expected one file, got ${output.map((file) => file.fileName)}`);
  return output[0].code;
}

/** index.js, worker.js and the wasm of one of the modules. */
async function writeScripts(folder, module) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/index.js`, await bundle(`${root}bindings/index.ts`, "esm", module));
  writeFileSync(`${folder}/worker.js`, await bundle(`${root}bindings/worker.ts`, "iife", module));
  copyFileSync(`${wasmFolder}/${module}.wasm`, `${folder}/kernels.wasm`);
}

function declarations() {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  const flags = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly"];
  const folders = ["--rootDir", `${root}bindings`, "--outDir", `${out}/types`];
  execFileSync(process.execPath, [tsc, "-p", `${root}bindings`, ...flags, ...folders], { stdio: "inherit" });
  for (const file of readdirSync(`${out}/types`)) {
    const text = readFileSync(`${out}/types/${file}`, "utf8");
    writeFileSync(`${out}/types/${file}`, text.replaceAll(/(from "\.\/\w+)\.ts"/g, '$1.js"'));
  }
}

function manifest() {
  const { name, version, description, license, engines } = JSON.parse(
    readFileSync(`${root}package.json`, "utf8"),
  );
  const exports = {
    ".": { types: "./types/index.d.ts", default: "./index.js" },
    "./worker.js": "./worker.js",
    "./kernels.wasm": "./kernels.wasm",
    "./package.json": "./package.json",
  };
  return { name, version, description, license, type: "module", sideEffects: false, exports, engines };
}

const readme = `# sqrtdk

Scaled dot-product attention, the layers and models around it, and the experiments behind its 1/√d_k, in C++ and
WebAssembly: the same bits on every machine.

\`\`\`js
import { load } from "sqrtdk";

const sqrtdk = await load();
const q = sqrtdk.randn([4, 64], { seed: 1 });
const { out, weights } = sqrtdk.attention(q, q, q, { return_weights: true });

const layer = sqrtdk.encoder_layer({ d_model: 512, n_heads: 8, d_ff: 2048 }); // PyTorch's names and initial values
const y = layer.forward(sqrtdk.randn([2, 10, 512]), { explain: true });
layer.cache("self_attn.weights"); // { data, shape: [2, 8, 10, 10] }
layer.backward(y); // then layer.gradients()
layer.load_state_dict(layer.state_dict());
const file = layer.save({ dtype: "bf16" }); // safetensors

const model = sqrtdk.load_llama2c(bytes); // stories260K.bin
const tokenizer = sqrtdk.tokenizer(tokenizerBytes, model.config.vocab);
tokenizer.decode(model.generate(tokenizer.encode("Once"), { steps: 50, scale: 1 })); // without the 1/√d_k

const trainer = sqrtdk.trainer({ task: "sort", scale: "none", seed: 7 }); // trainer_fields() lists the others
trainer.run(500, { record_every: 50, onRecord: (row) => console.log(row) }); // its numbers are trainer.columns
const checkpoint = trainer.checkpoint(); // load_trainer(checkpoint) goes on with the same bits

console.log(sqrtdk.experiment("score_variance").run({ d: [32, 128] }).scalars);
const worker = await load({ worker: true }); // run() returns promises; an AbortSignal ends it at once
await worker.experiment("softmax_saturation").run({ trials: 100000 }, { onProgress: console.log });
const racer = await worker.trainer({ scale: "1/sqrt(d)" }); // a worker of its own, replaced where it dies
await racer.run(1000); // meanwhile racer.answers() and racer.attention_maps() show what it has learnt
\`\`\`

Tensors, layers and trainers live in the module's memory: give them back with \`dispose()\`, \`using\` or \`sqrtdk.scope(() => ...)\`.
The types in \`types/\` state shapes, units and errors.
`;

function sizes(files) {
  const brotli = {};
  for (const file of files) {
    const bytes = readFileSync(`${out}/${file}`);
    brotli[file] = brotliCompressSync(bytes).length;
    console.log(`${file.padEnd(12)} ${bytes.length} bytes, ${brotli[file]} brotli`);
  }
  return brotli;
}

for (const module of ["figures", "layers"]) await writeScripts(`${root}build/${module}`, module);
await writeScripts(out, "kernels");
copyFileSync(`${root}LICENSE`, `${out}/LICENSE`);
writeFileSync(`${out}/README.md`, readme);
writeFileSync(`${out}/package.json`, `${JSON.stringify(manifest(), null, 2)}\n`);
declarations();

const brotli = sizes(["kernels.wasm", "index.js", "worker.js"]);
const glue = brotliCompressSync(await bundle(`${wasmFolder}/kernels.mjs`, "esm")).length;
const kernels = brotli["kernels.wasm"] + glue;
console.log(`kernels.wasm and its glue: ${kernels} bytes brotli of ${budget}`);
if (kernels > budget) process.exit(1);
