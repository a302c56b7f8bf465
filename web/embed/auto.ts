// One self-contained module for other people's pages:
//   <script type="module" src="sqrtdk.auto.js"></script>
//   <sqrtdk-figure experiment="score_variance" d="32,128,512" lang="zh"></sqrtdk-figure>
// Figures with layers fetch sqrtdk.layers.js from beside this file; nothing else is fetched. Under a strict policy
// the page needs this file's origin and 'wasm-unsafe-eval' in script-src; long runs leave the page's thread where
// worker-src allows blob:.
import { styles } from "sqrtdk:embedded";
import en from "../content/en/vocabulary.json";
import zh from "../content/zh/vocabulary.json";
import { moduleOf } from "../elements/modules.ts";
import { register } from "../elements/register.ts";
import type { Vocabulary } from "../elements/vocabulary.ts";
import * as figures from "./module.ts";

const words: Record<"en" | "zh", Vocabulary> = { en, zh };

/** The figures' module, or the other one. */
async function module(experiment: string): Promise<typeof figures> {
  if (moduleOf(experiment) === "figures") return figures;
  return import(new URL("./sqrtdk.layers.js", import.meta.url).href) as Promise<typeof figures>;
}

let sheet: CSSStyleSheet | undefined;

register({
  kernels: {
    here: async (experiment) => (await module(experiment)).here(),
    beside: async (experiment) => (await module(experiment)).beside(),
  },
  vocabulary: (language) => Promise.resolve(words[language]),
  styles: () => {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(styles);
    }
    return sheet;
  },
});
