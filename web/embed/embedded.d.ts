// What scripts/build_embed.mjs puts into the file.
declare module "sqrtdk:embedded" {
  /** kernels.wasm, a character per byte. */
  export const kernels: string;
  /** worker.js. */
  export const worker: string;
  /** The elements' style sheets. */
  export const styles: string;
}

// A file of the library as text.
declare module "*.inc?raw" {
  const text: string;
  export default text;
}
