// sqrtdk.auto.js, one script for other people's pages:
//   <script type="module" src="sqrtdk.auto.js"></script>
//   <sqrtdk-figure experiment="score_variance" d="32,128,512" lang="zh"></sqrtdk-figure>
// or a classic script. The small experiments are in it. For other experiments, and elements other than figures, it
// fetches sqrtdk.experiments.js from beside itself; where that cannot be, sqrtdk.auto.all.js is the one with everything.
// Under a strict policy the page needs this file's origin and 'wasm-unsafe-eval' in script-src; long runs leave the
// page's thread where worker-src allows blob:, and a race needs that.
import { setUpAuto } from "./auto_setup.ts";

/** Of a classic script. One from another origin has no address of its own from which it could import. */
const script = "document" in globalThis ? document.currentScript : null;
const address = script instanceof HTMLScriptElement ? script.src : "";

type Experiments = typeof import("./experiments.ts");

setUpAuto(async () => {
  try {
    if (!address) return await import("./experiments.ts");
    return (await import(new URL("sqrtdk.experiments.js", address).href)) as Experiments;
  } catch (cause) {
    const [expected, got] = ["sqrtdk.auto.all.js", "sqrtdk.experiments.js"];
    const fields = { code: "one_file", argument: "", expected, got };
    throw Object.assign(new Error(fields.expected, { cause }), fields); // the vocabulary has a sentence for it
  }
});
