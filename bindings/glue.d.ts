// Emscripten's glue, build/wasm/kernels.mjs.
declare module "*/kernels.mjs" {
  const factory: unknown;
  export default factory;
}
