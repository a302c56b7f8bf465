// What the plug-in in words.mjs adds.
declare module "sqrtdk:modules" {
  /** The experiments of the module `first`. */
  export const first: readonly string[];
  /** By experiment. */
  export const modules: import("../elements/modules.ts").Modules;
}
