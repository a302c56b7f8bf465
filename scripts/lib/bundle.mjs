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
 * Emscripten's script without what it would do in each environment to find and fetch its module, which it is given: no name
 * of Node's is left in it (a bundler would bring a substitute), and less to load.
 */
const glue = {
  name: "glue",
  transform: (code, id) =>
    isGlue(id)
      ? code
          .replace(/var _scriptDir = [^;]*;|if\(_scriptDir\)\{[^}]*\}/g, "")
          .replace("instantiateAsync().catch(readyPromiseReject);", "")
          .replace(/typeof (document|fetch|importScripts|process|window)\b/g, '"undefined"')
      : null,
};
const isGlue = (id) => /\/build\/wasm\/\w+\.mjs$/.test(id);

/** In place of Emscripten's script the name that it has elsewhere. */
const glueElsewhere = (name) => ({
  name: "glue elsewhere",
  load: (id) => (isGlue(id) ? { code: `export default ${name};`, moduleType: "js" } : null),
});

/**
 * Scripts and assets of `input`: a file, or files by the names of their scripts. `inNode` takes
 * what packages offer for Node. `glueName`: of Emscripten's script where that is not to be part of it. A script of its own holds all that it imports, with `split` only what it alone does.
 */
export async function bundle(
  input,
  { format = "esm", split = false, inNode = false, glueName, output = {} } = {},
) {
  const build = await rolldown({
    input: typeof input === "string" ? path(input) : input,
    plugins: [words(), texts, glueName ? glueElsewhere(glueName) : glue],
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
