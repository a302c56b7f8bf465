// What web/page/prerender.ts renders, whoever asks for it: scripts/build_site.mjs or scripts/dev.
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { vocabularyOf } from "../../web/page/words.mjs";
import { chartLook, pictureStyles, themeStyles } from "./stylesheet.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const path = (relative) => resolve(root, relative);
const text = (relative) => readFileSync(path(relative), "utf8");

/** Of pictures on paper, with fonts that most machines have. */
const looks = { en: chartLook("en", "DejaVu Sans"), zh: chartLook("zh", "Noto Sans CJK SC") };

/** `sqrtdk` runs the native command with these words and gives what it prints as JSON. */
export async function siteInput(sqrtdk) {
  const descriptions = sqrtdk("list");
  return {
    content: path("web/content"),
    descriptions,
    vocabularies: { en: vocabularyOf("en", descriptions), zh: vocabularyOf("zh", descriptions) },
    run: (id, params) =>
      sqrtdk("run", id, ...Object.entries(params).flatMap(([name, value]) => [`--${name}`, value])),
    trainers: await trainers(),
    pictureStyles: pictureStyles(),
    stillStyles: (language, compact) => looks[language].chartStyles(compact),
    themeStyles: themeStyles(".builder-preview"),
    elements: text("web/embed/custom-elements.json"),
    declarations: text("build/package/index.d.ts"),
    readme: text("bindings/README.md"),
    goldens: text("tests/golden/hashes.json"),
  };
}

/** The package as it is now: Node keeps a module by its address. */
async function trainers() {
  const file = path("build/package/index.node.js");
  const { load } = await import(`${pathToFileURL(file).href}?built=${statSync(file).mtimeMs}`);
  return (await load()).train;
}
