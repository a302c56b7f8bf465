// What scripts/build_embed.mjs puts into the file.
declare module "sqrtdk:embedded" {
  /** kernels.wasm, a character per byte. */
  export const kernels: string;
  /** worker.js. */
  export const worker: string;
  /** The elements' style sheets. */
  export const styles: string;
}

// A part of the elements' words: what the figures' module can say, and the rest.
declare module "*.json?first" {
  const words: import("../elements/vocabulary.ts").Words;
  export default words;
}
declare module "*.json?rest" {
  const words: import("../elements/vocabulary.ts").Words;
  export default words;
}

// A file of the library as text.
declare module "*.inc?raw" {
  const text: string;
  export default text;
}
