// One self-contained module for other people's pages:
//   <script type="module" src="sqrtdk.auto.js"></script>
//   <sqrtdk-figure experiment="score_variance" d="32,128,512" lang="zh"></sqrtdk-figure>
// Other experiments and <sqrtdk-race> fetch sqrtdk.experiments.js from beside this file; nothing else is fetched. Under a
// strict policy the page needs this file's origin and 'wasm-unsafe-eval' in script-src; long runs leave the page's
// thread where worker-src allows blob:, and a race needs that.
import { load } from "../../bindings/entry/embed_first.ts";
import { modules } from "sqrtdk:modules";
import en from "../content/en/vocabulary.json?first";
import zh from "../content/zh/vocabulary.json?first";
import { saveAs } from "../elements/exports.ts";
import { moduleOf } from "../elements/modules.ts";
import { readFile, readMatrixFile } from "../elements/reader_data.ts";
import { register } from "../elements/register.ts";
import figure from "../styles/figure.css?text";
import tokens from "../styles/tokens.css?text";
import { withWords, type Words } from "../words/vocabulary.ts";
import { whenThere } from "./when_there.ts";

const first: Record<"en" | "zh", Words> = { en, zh };

type Experiments = typeof import("./experiments.ts");
/** What scripts/build_embed.mjs makes of experiments.ts. */
type OfShared = (shared: unknown) => Experiments;

let made: Promise<Experiments> | undefined;

/**
 * The second file is a function of what this one exports, since it cannot import this one: where a page names this file
 * differently or with a query, everything would be loaded twice, Lit among it, which a strict policy forbids.
 */
async function make(file: object): Promise<Experiments> {
  const { default: experimentsOf } = file as { default: OfShared };
  const found = experimentsOf(await import(import.meta.url));
  found.addExperimentParts();
  style(found.styles);
  return found;
}

function experiments(): Promise<Experiments> {
  return (made ??= import("./experiments.ts").then(make));
}

async function module(experiment: string): Promise<{ load: typeof load }> {
  return moduleOf(experiment, modules) === "first" ? { load } : experiments();
}

let sheet: CSSStyleSheet | undefined;

/** One sheet for all elements, with what more there is once it has come. */
function style(more = ""): CSSStyleSheet {
  sheet ??= new CSSStyleSheet();
  sheet.replaceSync(tokens + figure + more);
  return sheet;
}

register({
  kernels: {
    here: async (experiment) => (await module(experiment)).load(),
    beside: async (experiment) => (await module(experiment)).load({ worker: true }),
    training: async () => {
      const { load } = await experiments();
      return { here: await load(), worker: () => load({ worker: true }) };
    },
  },
  files: { readFile, readMatrixFile, saveAs },
  vocabulary: async (language, experiment) => {
    const rest = moduleOf(experiment, modules) === "first" ? {} : (await experiments()).words[language];
    return withWords([first[language], rest]);
  },
  styles: () => sheet ?? style(),
});

if ("document" in globalThis) {
  whenThere("sqrtdk-race", () => {
    void experiments().then(({ SqrtdkRace }) => {
      if (!customElements.get("sqrtdk-race")) customElements.define("sqrtdk-race", SqrtdkRace);
    });
  });
}
