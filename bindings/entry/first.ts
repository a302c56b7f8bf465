// The module `first`: the experiments of a page's first figures.
import glue from "../../build/wasm/first.mjs";
import { makeFirst } from "../api/first.ts";
import { makeLoad } from "../worker/load.ts";

export const load = makeLoad({
  glue,
  wasm: () => new URL("../../build/wasm/first.wasm", import.meta.url),
  worker: () => new URL("../../build/workers/first.js", import.meta.url),
  makeApi: makeFirst,
});
