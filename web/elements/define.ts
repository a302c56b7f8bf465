// Importing this file brings the elements of a page to life: kernels and words are loaded when the first
// element is seen, the state lives in the page's address.
import { load } from "../../bindings/index.ts";
import { UrlStore } from "../state/url_store.ts";
import { moduleOf } from "./modules.ts";
import { register } from "./register.ts";
import type { Language, Vocabulary } from "./vocabulary.ts";

const words: Record<Language, () => Promise<{ default: unknown }>> = {
  en: () => import("../content/en/vocabulary.json"),
  zh: () => import("../content/zh/vocabulary.json"),
};

async function module(experiment: string): Promise<{ load: typeof load }> {
  return moduleOf(experiment) === "figures" ? { load } : import("./layers.ts");
}

if ("document" in globalThis) {
  const store = new UrlStore(window);
  register({
    kernels: {
      here: async (experiment) => (await module(experiment)).load(),
      beside: async (experiment) => (await module(experiment)).load({ worker: true }),
    },
    vocabulary: async (language) => (await words[language]()).default as Vocabulary,
    store,
  });
  store.showSection();
}
