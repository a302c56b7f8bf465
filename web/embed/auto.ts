// One self-contained module for other people's pages:
//   <script type="module" src="sqrtdk.auto.js"></script>
//   <sqrtdk-figure experiment="score_variance" d="32,128,512" lang="zh"></sqrtdk-figure>
// Figures with layers and <sqrtdk-race> fetch sqrtdk.layers.js from beside this file; nothing else is fetched. Under a
// strict policy the page needs this file's origin and 'wasm-unsafe-eval' in script-src; long runs leave the page's
// thread where worker-src allows blob:, and a race needs that.
import { styles } from "sqrtdk:embedded";
import en from "../content/en/vocabulary.json?first";
import zh from "../content/zh/vocabulary.json?first";
import { moduleOf } from "../elements/modules.ts";
import { addParts } from "../elements/parts.ts";
import { register } from "../elements/register.ts";
import { withWords, type Words } from "../elements/vocabulary.ts";
import * as figures from "./module.ts";
import { whenThere } from "./when_there.ts";

const first: Record<"en" | "zh", Words> = { en, zh };

/** Of sqrtdk.layers.js too: built with this file, whose modules they share. */
const elements = (): Promise<typeof import("./elements.ts")> => import("./elements.ts");

async function layers(): Promise<typeof import("./layers.ts")> {
  const address = new URL("./sqrtdk.layers.js", import.meta.url).href;
  const [found, { parts }] = await Promise.all([
    import(address) as Promise<typeof import("./layers.ts")>,
    elements(),
  ]);
  addParts(parts);
  return found;
}

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

if ("document" in globalThis) {
  whenThere("sqrtdk-race", () => {
    void elements().then(({ SqrtdkRace }) => {
      if (!customElements.get("sqrtdk-race")) customElements.define("sqrtdk-race", SqrtdkRace);
    });
  });
}
