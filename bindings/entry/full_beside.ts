// What the module `full` needs with the first workers: its calls in workers, and the same module for several threads.
import { compilerFor } from "../api/wasm_source.ts";
import { makeStartThreads } from "../worker/threads.ts";
export { full } from "../worker/full.ts";

export const threads = makeStartThreads({
  compile: compilerFor(() => new URL("../../build/wasm/threads.wasm", import.meta.url)),
  script: () => new URL("../../build/workers/threads.js", import.meta.url),
});
