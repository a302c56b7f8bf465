// The client side of the site. scripts/build_site.mjs runs this and writes the pages around it.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { words } from "./page/words.mjs";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

interface Modules {
  getModuleInfo(id: string): { importers: readonly string[] } | null;
}

/** The name of the chunk of all that boot.ts imports, and that imports it in turn. */
function ofBoot(id: string, modules: Modules, seen = new Set<string>()): string | null {
  if (id === path("page/boot.ts")) return "boot";
  seen.add(id);
  const importers = modules.getModuleInfo(id)?.importers ?? [];
  return importers.some((each) => !seen.has(each) && ofBoot(each, modules, seen)) ? "boot" : null;
}

export default defineConfig({
  root: path("page"),
  base: "./", // any sub-path
  publicDir: false,
  cacheDir: path("../build/vite-cache"),
  logLevel: "warn",
  plugins: [words()],
  build: {
    outDir: path("../build/site"),
    emptyOutDir: false,
    manifest: "manifest.json",
    target: "es2022",
    assetsInlineLimit: 0, // the CSP refuses to fetch data: addresses
    modulePreload: false, // what is loaded later has little to import
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        early: path("page/early.ts"),
        boot: path("page/boot.ts"),
        choose: path("page/choose.ts"),
        frame: path("page/frame.ts"),
        site: path("page/site.css"),
        frame_style: path("page/frame.css"),
      },
      // What a page needs at once is one file, whatever is loaded later shares with it.
      output: { codeSplitting: { groups: [{ name: ofBoot, debugName: "boot" }] } },
    },
  },
});
