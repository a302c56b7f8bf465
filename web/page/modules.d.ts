// What the plug-in in words.mjs adds.
declare module "sqrtdk:modules" {
  /** The experiments of the module `first`. */
  export const first: readonly string[];
  /** By experiment. */
  export const modules: import("../elements/modules.ts").Modules;
  /** The texts of each experiment's parameters where nothing is set. */
  export const defaults: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface ImportMeta {
  /** Vite: one entry per file. */
  glob<T>(pattern: string, options: { import: string }): Record<string, () => Promise<T>>;
  glob<T>(pattern: string, options: { import: string; eager: true }): Record<string, T>;
}
