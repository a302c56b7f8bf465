// One self-contained module for other people's pages:
//   <script type="module" src="sqrtdk.auto.js"></script>
//   <sqrtdk-figure experiment="score_variance" d="32,128,512" lang="zh"></sqrtdk-figure>
// Nothing else is fetched. Under a strict policy the page needs this file's origin and 'wasm-unsafe-eval' in
// script-src; long runs leave the page's thread where worker-src allows blob:.
import { kernels, styles, worker } from "sqrtdk:embedded";
import { load } from "../../bindings/index.ts";
import en from "../content/en/vocabulary.json";
import zh from "../content/zh/vocabulary.json";
import { register } from "../elements/register.ts";
import type { Vocabulary } from "../elements/vocabulary.ts";

const words: Record<"en" | "zh", Vocabulary> = { en, zh };

function wasm(): { wasmBinary: Uint8Array<ArrayBuffer> } {
  return { wasmBinary: Uint8Array.from(kernels, (character) => character.charCodeAt(0)) };
}

let sheet: CSSStyleSheet | undefined;

register({
  kernels: {
    here: () => load(wasm()),
    beside: () => load({ worker: { source: worker } }),
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
