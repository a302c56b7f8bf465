// The elements with all that they need in one script.
import { load } from "../../bindings/entry/embed_first.ts";
import { modules } from "sqrtdk:modules";
import en from "../content/en/vocabulary.json?first";
import zh from "../content/zh/vocabulary.json?first";
import { loaded, once } from "../elements/loaded.ts";
import { moduleOf } from "../elements/modules.ts";
import { problemOf } from "../elements/problems.ts";
import { define, register } from "../elements/register.ts";
import { SqrtdkHero } from "../elements/sqrtdk_hero.ts";
import { SqrtdkValue } from "../elements/sqrtdk_value.ts";
import { languageOf, withWords, type Language, type Words } from "../words/vocabulary.ts";
import { addStyle, frameOf } from "./shadow.ts";
import { whenThere } from "./when_there.ts";

const first: Record<"en" | "zh", Words> = { en, zh };

type Experiments = typeof import("./experiments.ts");

/** Registers the elements; `bring` gives what the larger experiments and races need, once it is wanted. */
export function setUpAuto(bring: () => Promise<Experiments>): void {
  const experiments = once(async () => {
    const found = await bring();
    found.addExperimentParts();
    addStyle(found.styles);
    return found;
  });
  const small = loaded(load);
  const large = once(async () => loaded((await experiments()).load));
  const module = async (experiment: string): Promise<typeof small> =>
    moduleOf(experiment, modules) === "first" ? small : large();
  const vocabulary = async (language: Language, experiment: string) => {
    if (moduleOf(experiment, modules) === "first") return withWords([first[language]]);
    // Where there are no others, what failed is said in the first ones.
    const rest = await experiments()
      .then(({ words }) => words[language])
      .catch(() => ({}));
    return withWords([first[language], rest]);
  };

  register({
    kernels: {
      here: async (experiment) => (await module(experiment)).here(),
      beside: async (experiment) => (await module(experiment)).beside(),
      training: async () => {
        const { here, beside } = await large();
        return { here: (await here()).train, worker: async () => (await beside()).train };
      },
    },
    // When a reader gives or takes a file.
    files: {
      readFile: async (...all) => (await experiments()).readFile(...all),
      readMatrixFile: async (...all) => (await experiments()).readMatrixFile(...all),
      saveAs: async (...all) => (await experiments()).saveAs(...all),
    },
    vocabulary,
    frame: frameOf,
  });

  define("sqrtdk-hero", SqrtdkHero);
  define("sqrtdk-value", SqrtdkValue);
  bringLater("sqrtdk-race", async () => (await experiments()).SqrtdkRace);
  bringLater("sqrtdk-check", async () => (await experiments()).SqrtdkCheck);
}

/** Defines an element whose class is loaded where there is one. */
function bringLater(name: string, bring: () => Promise<CustomElementConstructor>): void {
  whenThere(name, () => {
    bring().then(
      (element) => define(name, element),
      (error: unknown) => {
        for (const element of document.getElementsByTagName(name)) sayIn(element, error);
      },
    );
  });
}

/** For an element whose class could not be loaded. */
function sayIn(element: Element, error: unknown): void {
  const language = languageOf(element.closest("[lang]")?.getAttribute("lang"));
  const said = document.createElement("p");
  said.setAttribute("role", "alert");
  said.textContent = problemOf(error, withWords([first[language]])).message;
  element.append(said);
}
