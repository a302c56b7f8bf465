// Rolldown as the package, the workers and the embed use it.
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { words } from "../../web/page/words.mjs";
import { stylesheet } from "./stylesheet.mjs";

export const path = (relative) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));

/** Style sheets as text: "….css?text". */
const texts = {
  name: "texts",
  resolveId: (id, from) =>
    id.endsWith(".css?text")
      ? fileURLToPath(new URL(encodeURI(id).replace("?", "%3F"), `file://${from}`))
      : null,
  load(id) {
    const [, file] = /^(.*\.css)\?text$/.exec(id) ?? [];
    return file ? { code: `export default ${JSON.stringify(stylesheet(file))}`, moduleType: "js" } : null;
  },
};

/**
 * Scripts and assets of `input`: a file, or files by the names of their scripts. `inNode` takes
 * what packages offer for Node. A script of its own holds all that it imports, with `split` only what it alone does.
 */
export async function bundle(input, { format = "esm", split = false, inNode = false, output = {} } = {}) {
  const build = await rolldown({
    input: typeof input === "string" ? path(input) : input,
    plugins: [words(), texts],
    platform: inNode ? "node" : "browser",
    treeshake: { propertyReadSideEffects: false }, // d3 reads what nobody uses
    experimental: { resolveNewUrlToAsset: true },
    preserveEntrySignatures: "allow-extension",
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const made = await build.generate({ format, minify: true, codeSplitting: split, ...output });
  await build.close();
  return made.output;
}
