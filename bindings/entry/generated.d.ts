// What the builds make.

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
