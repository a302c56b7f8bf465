// The elements' words, from what the experiments say that they need ("sqrtdk list --json"): complete, or the build fails
// with the place to put one; and in two parts, so that a first visit loads those of the first module alone. A bundler's
// plug-in: "vocabulary.json?first", "vocabulary.json?rest", and "sqrtdk:modules", which experiment is in which module.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const content = (file) => readFileSync(path(`../content/${file}`), "utf8");
const always = ["ui", "errors", "expected"]; // topics that are no experiment's own
// The words of heat maps, presets, times, bands and files, none of which the first module's experiments have.
const later =
  /^(heat_|summary_(heatmap|missing|without|broken)|rows_cut$|preset|timed_|bands$|file_hint|remove_file|copied_no_file)/;

let described;
/** What the native command says of the experiments. */
export function descriptions() {
  const command = process.env.SQRTDK ?? path("../../build/native/bin/sqrtdk");
  return (described ??= JSON.parse(execFileSync(command, ["list", "--json"], { maxBuffer: 1 << 28 })));
}

/** web/content/{en,zh}/vocabulary.json and the experiments' questions. Throws where an experiment needs more. */
export function vocabularyOf(language, experiments = descriptions()) {
  const vocabulary = JSON.parse(content(`${language}/vocabulary.json`));
  const missing = missingWords(vocabulary, experiments, `web/content/${language}/vocabulary.json`);
  if (missing.length > 0) throw new Error(missing.join("\n"));
  return { ...vocabulary, questions: questionsOf(language, experiments) };
}

/** English stands in the experiment, Chinese in its prose. */
function questionsOf(language, experiments) {
  const question = ({ id, question }) =>
    language === "en" ? question : /^question: (.*)$/m.exec(content(`${language}/lab/${id}.md`))?.[1];
  return Object.fromEntries(experiments.map((each) => [each.id, question(each)]));
}

/** Every key that an experiment needs, by topic: of what it says itself, and of its results. */
export function neededWords({ params, presets = [], words }) {
  const needed = {
    params: params.map(({ name }) => name),
    groups: params.map(({ group }) => group).filter((group) => group && group !== "more"),
    presets: presets.map(({ name }) => name),
    choices: params.flatMap(({ choices = [] }) => choices),
  };
  for (const [topic, keys] of Object.entries(words)) needed[topic] = [...(needed[topic] ?? []), ...keys];
  return needed;
}

/** A sentence for each word that an experiment needs and `file` lacks. A series may be named after a choice. */
export function missingWords(vocabulary, experiments, file) {
  const has = (topic, key) => Object.hasOwn(vocabulary[topic] ?? {}, key);
  return experiments.flatMap((experiment) =>
    Object.entries(neededWords(experiment)).flatMap(([topic, keys]) =>
      [...new Set(keys)]
        .filter((key) => !has(topic, key) && !(topic === "series" && has("choices", key)))
        .map((key) => `${file}: ${topic}.${key} is missing (needed by ${experiment.id})`),
    ),
  );
}

/** { first, rest }: the words that the experiments of the first module need, and the others. */
export function splitWords(vocabulary, experiments = descriptions()) {
  const named = new Set();
  for (const each of experiments.filter(({ module }) => module === "first")) {
    for (const key of [each.id, ...Object.values(neededWords(each)).flat()]) named.add(key);
  }
  const isFirst = (topic, key) =>
    (always.includes(topic) && !later.test(key)) || named.has(key.replace(/_sorted$|=0$/, ""));
  const part = (wanted) =>
    Object.fromEntries(
      Object.entries(vocabulary).map(([topic, words]) => [
        topic,
        Object.fromEntries(Object.entries(words).filter(([key]) => isFirst(topic, key) === wanted)),
      ]),
    );
  return { first: part(true), rest: part(false) };
}

function modules() {
  const all = descriptions().map(({ id, module }) => [id, module]);
  const first = all.filter(([, module]) => module === "first").map(([id]) => id);
  const textsOf = ({ params }) => Object.fromEntries(params.map((each) => [each.name, each.default]));
  const defaults = Object.fromEntries(descriptions().map((each) => [each.id, textsOf(each)]));
  return `export const first = ${JSON.stringify(first)};
export const modules = ${JSON.stringify(Object.fromEntries(all))};
export const defaults = ${JSON.stringify(defaults)};`;
}

export function words() {
  const parsed = (value) => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
  return {
    name: "words",
    enforce: "pre",
    resolveId: (id) => (id === "sqrtdk:modules" ? id : null),
    load(id) {
      if (id === "sqrtdk:modules") return { code: modules(), moduleType: "js" };
      const [, language, part] = /\/(\w+)\/vocabulary\.json\?(first|rest)$/.exec(id) ?? [];
      if (!part) return null;
      return { code: `export default ${parsed(splitWords(vocabularyOf(language))[part])}`, moduleType: "js" };
    },
  };
}
