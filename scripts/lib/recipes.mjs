// What the site offers under /recipes/: the packages of web/recipes with the scripts and pictures that they hold.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { zip } from "./zip.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path) => readFileSync(join(root, path));

/** Every file of a folder, by its path from there. */
function folder(path) {
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".pyc"))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, path).length + 1))
    .map((file) => [file, read(`${path}/${file}`)]);
}

/** By their paths from the site's root. `pictures`: SVG by the name of its file. */
export function recipes(pictures) {
  const licence = read("LICENSE");
  const python = [
    ...folder("web/recipes/python"),
    ["LICENSE", licence],
    ["sqrtdk/static/anywidget.js", read("build/embed/sqrtdk.anywidget.js")],
  ].map(([file, data]) => [`sqrtdk-python/${file}`, data]);
  const extension = "_extensions/sqrtdk";
  const quarto = [
    ...folder("web/recipes/quarto"),
    [`${extension}/LICENSE`, licence],
    [`${extension}/sqrtdk.auto.all.js`, read("build/embed/sqrtdk.auto.all.js")],
    ...[...pictures].map(([name, svg]) => [`${extension}/pictures/${name}`, svg]),
  ];
  return new Map([
    ["recipes/sqrtdk-python.zip", zip(python)],
    ["recipes/sqrtdk-quarto.zip", zip(quarto)],
    ["recipes/sqrtdk.ipynb", read("web/recipes/python/sqrtdk.ipynb")],
  ]);
}
