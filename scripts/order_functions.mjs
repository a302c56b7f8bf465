// Orders the functions of linked modules, which scripts/cmake/wasm.cmake asks for, in place.
// usage: node scripts/order_functions.mjs MODULE...
import { readFileSync, writeFileSync } from "node:fs";
import { orderFunctions } from "./lib/function_order.mjs";

for (const module of process.argv.slice(2)) writeFileSync(module, orderFunctions(readFileSync(module)));
