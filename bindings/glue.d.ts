// Emscripten's glue, build/wasm/kernels.mjs.
declare module "*/kernels.mjs" {
  const factory: (options: object) => Promise<object>;
  export default factory;
}
