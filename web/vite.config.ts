// The client side of the site. scripts/build_site.mjs runs this and writes the pages around it.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { words } from "./page/words.mjs";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
  root: path("page"),
  base: "./", // any sub-path
  publicDir: false,
  cacheDir: path("../build/vite-cache"),
  logLevel: "warn",
  plugins: [
    words(),
    {
      // The experiments without the kernels' own functions: their module and worker lie beside them.
      name: "modules",
      enforce: "pre",
      resolveId(id: string, importer = "") {
        if (!/\/bindings\/index\.ts$/.test(id)) return null;
        const module = /\/elements\/layers\.ts$/.test(importer) ? "layers" : "figures";
        return path(`../build/${module}/index.js`);
      },
    },
  ],
  build: {
    outDir: path("../build/site"),
    emptyOutDir: false,
    manifest: "manifest.json",
    target: "es2022",
    assetsInlineLimit: 0, // the CSP refuses to fetch data: addresses
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        boot: path("page/boot.ts"),
        choose: path("page/choose.ts"),
        site: path("page/site.css"),
      },
    },
  },
});
