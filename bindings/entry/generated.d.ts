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
declare module "*/nn.mjs" {
  const glue: import("../api/module.ts").Glue;
  export default glue;
}
declare module "*/ops.mjs" {
  const glue: import("../api/module.ts").Glue;
  export default glue;
}
declare module "*/threads.mjs" {
  const glue: import("../api/module.ts").Glue;
  export default glue;
}
declare module "*/full.mjs" {
  const glue: import("../api/module.ts").Glue;
  export default glue;
}

// Put at the head of a script that holds everything: scripts/lib/embedded.mjs.
interface SqrtdkEmbedded {
  /** The wasm file, a character per byte: see embedded.ts. */
  readonly wasm: string;
  /** The worker's script. */
  readonly worker: string;
}
declare const sqrtdk_first: SqrtdkEmbedded;
declare const sqrtdk_experiments: SqrtdkEmbedded;
declare const sqrtdk_full: SqrtdkEmbedded;
