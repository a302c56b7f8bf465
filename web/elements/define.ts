// Importing this file brings the elements of a page to life: kernels and words are loaded when the first
// element is seen, the state lives in the page's address.
import { load } from "../../bindings/index.ts";
import { UrlStore } from "../state/url_store.ts";
import { moduleOf } from "./modules.ts";
import { whenNear } from "./near.ts";
import { addParts } from "./parts.ts";
import { register } from "./register.ts";
import { withWords, type Language, type Words } from "./vocabulary.ts";

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

async function module(experiment: string): Promise<{ load: typeof load }> {
  if (moduleOf(experiment) === "figures") return { load };
  const [layers, { parts }] = await Promise.all([import("./layers.ts"), import("./layers_parts.ts")]);
  addParts(parts);
  return layers;
}

function defineRace({ SqrtdkRace }: typeof import("./sqrtdk_race.ts")): void {
  customElements.define("sqrtdk-race", SqrtdkRace);
}

function defineCheck({ SqrtdkCheck }: typeof import("./sqrtdk_check.ts")): void {
  customElements.define("sqrtdk-check", SqrtdkCheck);
}

if ("document" in globalThis) {
  const store = new UrlStore(window);
  register({
    kernels: {
      here: async (experiment) => (await module(experiment)).load(),
      beside: async (experiment) => (await module(experiment)).load({ worker: true }),
      training: async () => {
        const { load } = await import("./layers.ts");
        return { here: await load(), worker: () => load({ worker: true }) };
      },
    },
    vocabulary: async (language, experiment) => {
      const { first, rest } = words[language];
      const parts = moduleOf(experiment) === "figures" ? [first()] : [first(), rest()];
      return withWords((await Promise.all(parts)).map((part) => part.default));
    },
    store,
  });
  store.showSection();
  whenNear("sqrtdk-race", () => void import("./sqrtdk_race.ts").then(defineRace));
  whenNear("sqrtdk-check", () => void import("./sqrtdk_check.ts").then(defineCheck));
}
