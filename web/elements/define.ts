// Importing this file brings the elements of a page to life: kernels and words are loaded when the first
// element is seen, the state lives in the page's address.
import { load } from "../../bindings/index.ts";
import { UrlStore } from "../state/url_store.ts";
import { register } from "./register.ts";
import type { Language, Vocabulary } from "./vocabulary.ts";

const words: Record<Language, () => Promise<{ default: unknown }>> = {
  en: () => import("../content/en/vocabulary.json"),
  zh: () => import("../content/zh/vocabulary.json"),
};

if ("document" in globalThis) {
  const store = new UrlStore(window);
  register({
    kernels: { here: () => load(), beside: () => load({ worker: true }) },
    vocabulary: async (language) => (await words[language]()).default as Vocabulary,
    store,
  });
  store.showSection();
}
