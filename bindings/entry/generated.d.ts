// What the builds make.

// Emscripten's glue, build/wasm/*.mjs.
declare module "*/first.mjs" {
  const glue: import("../api/module.ts").Glue;
  export default glue;
}
declare module "*/experiments.mjs" {
  const glue: import("../api/module.ts").Glue;
  export default glue;
}
declare module "*/full.mjs" {
  const glue: import("../api/module.ts").Glue;
  export default glue;
}

// Put by scripts/build_embed.mjs at the head of a file that holds everything.
interface SqrtdkEmbedded {
  /** The wasm file, a character per byte. */
  readonly wasm: string;
  /** The worker's script. */
  readonly worker: string;
}
declare const sqrtdk_first: SqrtdkEmbedded;
declare const sqrtdk_experiments: SqrtdkEmbedded;
