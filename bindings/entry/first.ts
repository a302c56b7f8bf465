// The module `first`: the experiments of a page's first figures.
import { compileAddress } from "../api/fetch_wasm.ts";
import { makeFirst } from "../api/first.ts";
import { makeRunner } from "../api/runner.ts";
import { first } from "../worker/first.ts";
import { makePlainLoad } from "../worker/instance.ts";

export const load = makePlainLoad(
  {
    here: (border) => makeFirst(border, makeRunner(border)),
    inWorkers: () => Promise.resolve(first),
    script: () => new URL("../../build/workers/first.js", import.meta.url),
  },
  () => compileAddress(new URL("../../build/wasm/first.wasm", import.meta.url)),
);
