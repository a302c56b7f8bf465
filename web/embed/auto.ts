// One self-contained module for other people's pages:
//   <script type="module" src="sqrtdk.auto.js"></script>
//   <sqrtdk-figure experiment="score_variance" d="32,128,512" lang="zh"></sqrtdk-figure>
// Figures with layers fetch sqrtdk.layers.js from beside this file; nothing else is fetched. Under a strict policy
// the page needs this file's origin and 'wasm-unsafe-eval' in script-src; long runs leave the page's thread where
// worker-src allows blob:.
import { styles } from "sqrtdk:embedded";
import en from "../content/en/vocabulary.json?first";
import zh from "../content/zh/vocabulary.json?first";
import { moduleOf } from "../elements/modules.ts";
import { register } from "../elements/register.ts";
import { withWords, type Words } from "../elements/vocabulary.ts";
import * as figures from "./module.ts";

const first: Record<"en" | "zh", Words> = { en, zh };

const layers = (): Promise<typeof import("./layers.ts")> =>
  import(new URL("./sqrtdk.layers.js", import.meta.url).href) as Promise<typeof import("./layers.ts")>;

async function module(experiment: string): Promise<typeof figures> {
  return moduleOf(experiment) === "figures" ? figures : layers();
}

let sheet: CSSStyleSheet | undefined;

register({
  kernels: {
    here: async (experiment) => (await module(experiment)).here(),
    beside: async (experiment) => (await module(experiment)).beside(),
    training: async () => {
      const { here, beside } = await module("training_race");
      return { here: await here(), worker: beside };
    },
  },
  vocabulary: async (language, experiment) => {
    const rest = moduleOf(experiment) === "figures" ? {} : (await layers()).words[language];
    return withWords([first[language], rest]);
  },
  styles: () => {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(styles);
    }
    return sheet;
  },
});
