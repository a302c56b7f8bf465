// Arranges linked modules in place, which scripts/cmake/wasm.cmake asks for, so that engines make more of them and brotli
// less, and fails where one asks for more than bindings/api/module.ts gives: a function that nobody defines.
// usage: node scripts/arrange_modules.mjs MODULE...
import { readFileSync, writeFileSync } from "node:fs";
import { withoutAlignments } from "./lib/alignments.mjs";
import { orderFunctions } from "./lib/function_order.mjs";
import { numberLocals } from "./lib/local_numbers.mjs";
import { pairProducts } from "./lib/paired_products.mjs";

const given = ["memory", "_embind_register_function", "sqrtdk_now", "sqrtdk_report"];

for (const file of process.argv.slice(2)) {
  const bytes = readFileSync(file);
  for (const { name } of WebAssembly.Module.imports(new WebAssembly.Module(bytes)))
    if (!given.includes(name)) throw new Error(`${file} asks for ${name}, which is not defined`);
  writeFileSync(file, numberLocals(orderFunctions(pairProducts(withoutAlignments(bytes)))));
}
