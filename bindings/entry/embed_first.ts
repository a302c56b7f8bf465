// The module `first` in one file with whoever imports it: its wasm and its worker as text.
import glue from "../../build/wasm/first.mjs";
import { makeFirst } from "../api/first.ts";
import { makeLoad } from "../worker/load.ts";

export const load = makeLoad({
  glue,
  wasm: () => Uint8Array.from(sqrtdk_first.wasm, (character) => character.charCodeAt(0)),
  worker: () => ({ source: sqrtdk_first.worker }),
  makeApi: makeFirst,
});
