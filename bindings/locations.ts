// Where the module and the worker lie beside the sources. In build/package/ both lie beside index.js:
// scripts/build_package.mjs replaces this file.
export const wasmLocation = (): URL => new URL("../build/wasm/kernels.wasm", import.meta.url);
export const workerLocation = (): URL => new URL("../build/package/worker.js", import.meta.url);
