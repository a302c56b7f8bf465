// Importing this file brings the elements of a page to life: kernels and words are loaded when the first
// element is seen, the state lives in the page's address.
import { load } from "../../bindings/entry/first.ts";
import { UrlStore } from "../state/url_store.ts";
import { first } from "sqrtdk:modules";
import { loaded, once } from "../elements/loaded.ts";
import { untilMeant } from "../elements/meant.ts";
import { whenNear } from "../elements/near.ts";
import { define, register } from "../elements/register.ts";
import { SqrtdkHero } from "../elements/sqrtdk_hero.ts";
import type { Files } from "../elements/setup.ts";
import type { StoryFigure } from "../story/figure.ts";
import { focusOf, remember } from "../elements/take_over.ts";
import { withWords, type Language, type Words } from "../words/vocabulary.ts";

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
  const [{ load }, { addExperimentParts }] = await Promise.all([
    import("../../bindings/entry/experiments.ts"),
    import("../elements/experiment_parts.ts"),
  ]);
  addExperimentParts();
  return loaded(load);
});
const module = async (experiment: string): Promise<typeof ofFirst> =>
  first.includes(experiment) ? ofFirst : rest();

/** Loaded when a reader gives or takes a file, not with the first visit. */
const files: Files = {
  readFile: async (...all) => (await import("../elements/reader_data.ts")).readFile(...all),
  readMatrixFile: async (...all) => (await import("../elements/reader_data.ts")).readMatrixFile(...all),
  saveAs: async (...all) => (await import("../elements/exports.ts")).saveAs(...all),
  programs: {
    kinds: (description) =>
      import("../elements/code_export.ts").then(
        ({ codeKinds }) => codeKinds(description),
        () => [], // not there without a network
      ),
    save: async (kind, description, { params }) => {
      const [{ codeFor }, { download }] = await Promise.all([
        import("../elements/code_export.ts"),
        import("../elements/exports.ts"),
      ]);
      const made = await codeFor(kind, description, params);
      if (made) download(made.text, made.name, "text/plain");
    },
  },
};

function defineRace({ SqrtdkRace }: typeof import("../race/sqrtdk_race.ts")): void {
  if (customElements.get("sqrtdk-race")) return;
  customElements.define("sqrtdk-race", SqrtdkRace);
}

function defineCheck({ SqrtdkCheck }: typeof import("../check/sqrtdk_check.ts")): void {
  customElements.define("sqrtdk-check", SqrtdkCheck);
}

function defineValue({ SqrtdkValue }: typeof import("../elements/sqrtdk_value.ts")): void {
  customElements.define("sqrtdk-value", SqrtdkValue);
}

/** By file: the figures of the story. */
const storyFigures = import.meta.glob<StoryFigure>("../story/figures/*.ts", { import: "figure" });

/** A figure's code is loaded when it comes near. */
function defineStory(): void {
  for (const [file, bring] of Object.entries(storyFigures)) {
    const name = /(\w+)\.ts$/.exec(file)?.[1] ?? "";
    whenNear(`story-${name.replaceAll("_", "-")}`, () => {
      void Promise.all([import("../story/story_element.ts"), bring()]).then(([{ storyElement }, figure]) =>
        customElements.define(`story-${name.replaceAll("_", "-")}`, storyElement(name, figure)),
      );
    });
  }
}

async function defineReading(store: UrlStore): Promise<void> {
  const { offerGuesses, followReading } = await import("../story/reader.ts");
  offerGuesses(store);
  followReading();
}

/** The page for authors; what its preview shows may be an element that the page did not begin with. */
async function defineBuilder(store: UrlStore): Promise<void> {
  const { startBuilder } = await import("../embed_page/builder.ts");
  await startBuilder(store, (tag) => {
    if (tag === "sqrtdk-race" && !customElements.get(tag))
      void import("../race/sqrtdk_race.ts").then(defineRace);
  });
}

if ("document" in globalThis) {
  const store = new UrlStore(window);
  const isForAuthors = document.querySelector(".builder") !== null; // what they choose they mean
  register({
    kernels: {
      here: async (experiment) => (await module(experiment)).here(),
      beside: async (experiment) => (await module(experiment)).beside(),
      training: async () => {
        const { here, beside } = await rest();
        return { here: (await here()).train, worker: async () => (await beside()).train };
      },
    },
    files,
    vocabulary: async (language, experiment) => {
      const of = words[language];
      const parts = first.includes(experiment) ? [of.first()] : [of.first(), of.rest()];
      return withWords((await Promise.all(parts)).map((part) => part.default));
    },
    takeOver: { remember, focusOf, untilMeant },
    waits: (experiment) => !isForAuthors && !first.includes(experiment),
    store,
  });
  define("sqrtdk-hero", SqrtdkHero);
  defineStory();
  if (document.querySelector(".chapter")) void defineReading(store);
  if (isForAuthors) void defineBuilder(store);
  whenNear("sqrtdk-race", () => void import("../race/sqrtdk_race.ts").then(defineRace));
  whenNear("sqrtdk-value", () => void import("../elements/sqrtdk_value.ts").then(defineValue));
  whenNear("sqrtdk-check", () => void import("../check/sqrtdk_check.ts").then(defineCheck));
}
