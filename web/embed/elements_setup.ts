// What the elements of the package share: modules, workers and words come as files of their own when they are needed.
import { load } from "../../bindings/entry/first.ts";
import { modules } from "sqrtdk:modules";
import { loaded, once } from "../elements/loaded.ts";
import { moduleOf } from "../elements/modules.ts";
import { setUp } from "../elements/setup.ts";
import { withWords, type Language, type Words } from "../words/vocabulary.ts";
import { addStyle, frameOf } from "./shadow.ts";

type Part = () => Promise<{ default: Words }>;
const words: Record<Language, Record<"first" | "rest", Part>> = {
  en: {
    first: () => import("../content/en/vocabulary.json?first"),
    rest: () => import("../content/en/vocabulary.json?rest"),
  },
  zh: {
    first: () => import("../content/zh/vocabulary.json?first"),
    rest: () => import("../content/zh/vocabulary.json?rest"),
  },
};

const ofFirst = loaded(load);
const rest = once(async () => {
  const [{ load }, { addExperimentParts }, { default: styles }] = await Promise.all([
    import("../../bindings/entry/experiments.ts"),
    import("../elements/experiment_parts.ts"),
    import("../styles/experiments.css?text"),
  ]);
  addExperimentParts();
  addStyle(styles);
  return loaded(load);
});
const module = async (experiment: string): Promise<typeof ofFirst> =>
  moduleOf(experiment, modules) === "first" ? ofFirst : rest();

export function setUpElements(): void {
  setUp({
    kernels: {
      here: async (experiment) => (await module(experiment)).here(),
      beside: async (experiment) => (await module(experiment)).beside(),
      training: async () => {
        const { here, beside } = await rest();
        return { here: (await here()).train, worker: async () => (await beside()).train };
      },
    },
    files: {
      readFile: async (...all) => (await import("../elements/reader_data.ts")).readFile(...all),
      readMatrixFile: async (...all) => (await import("../elements/reader_data.ts")).readMatrixFile(...all),
      saveAs: async (...all) => (await import("../elements/exports.ts")).saveAs(...all),
    },
    vocabulary: async (language, experiment) => {
      const { first, rest } = words[language];
      const isFirst = moduleOf(experiment, modules) === "first";
      const parts = await Promise.all(isFirst ? [first()] : [first(), rest()]);
      return withWords(parts.map((part) => part.default));
    },
    frame: frameOf,
    goldens: () => new URL("../../tests/golden/hashes.json", import.meta.url),
  });
}
