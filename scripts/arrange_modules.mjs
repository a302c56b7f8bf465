// Arranges linked modules in place, which scripts/cmake/wasm.cmake asks for, so that brotli makes less of them.
// usage: node scripts/arrange_modules.mjs MODULE...
import { readFileSync, writeFileSync } from "node:fs";
import { orderFunctions } from "./lib/function_order.mjs";
import { numberLocals } from "./lib/local_numbers.mjs";

for (const module of process.argv.slice(2))
  writeFileSync(module, numberLocals(orderFunctions(readFileSync(module))));
