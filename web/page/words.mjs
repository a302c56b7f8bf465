// The elements' words in two parts: what the figures' module can say is wanted at once, the rest comes with the
// experiments on layers. A bundler's plug-in: "vocabulary.json?first", "vocabulary.json?rest".
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const src = fileURLToPath(new URL("../../src", import.meta.url));
const always = new Set(["ui", "errors", "expected"]); // topics that are no experiment's own

/** The sources of the figures' experiments, and of what they include of their folder. */
function figuresSources() {
  const registry = readFileSync(join(src, "experiments/experiments.inc"), "utf8");
  const waiting = ["scale.cpp"]; // whose header is every experiment's
  for (const [, id] of registry.matchAll(/^EXPERIMENT\((\w+), figures\)/gm)) waiting.push(`${id}.cpp`);
  const texts = new Map();
  while (waiting.length > 0) {
    const name = waiting.pop();
    const path = join(src, "experiments", name);
    if (texts.has(name) || !existsSync(path)) continue;
    const text = readFileSync(path, "utf8");
    texts.set(name, text);
    for (const [, header] of text.matchAll(/#include "experiments\/(\w+)\.h"/g))
      waiting.push(`${header}.h`, `${header}.cpp`);
  }
  return [...texts.values()].join("\n");
}

/** { first, rest }: each topic's words whose key the figures' sources name, and the others. */
export function splitWords(vocabulary, sources = figuresSources()) {
  const named = new Set([...sources.matchAll(/"([^"\n]+)"/g)].map(([, text]) => text));
  const isFirst = (topic, key) => always.has(topic) || named.has(key.replace(/_sorted$/, ""));
  const part = (wanted) =>
    Object.fromEntries(
      Object.entries(vocabulary).map(([topic, words]) => [
        topic,
        Object.fromEntries(Object.entries(words).filter(([key]) => isFirst(topic, key) === wanted)),
      ]),
    );
  return { first: part(true), rest: part(false) };
}

export function words() {
  return {
    name: "words",
    enforce: "pre",
    load(id) {
      const [, path, part] = /^(.*vocabulary\.json)\?(first|rest)$/.exec(id) ?? [];
      if (!path) return null;
      const text = JSON.stringify(splitWords(JSON.parse(readFileSync(path, "utf8")))[part]);
      return { code: `export default JSON.parse(${JSON.stringify(text)})`, moduleType: "js" };
    },
  };
}
