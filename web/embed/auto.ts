// sqrtdk.auto.js, one script for other people's pages:
//   <script type="module" src="sqrtdk.auto.js"></script>
//   <sqrtdk-figure experiment="score_variance" d="32,128,512" lang="zh"></sqrtdk-figure>
// or a classic script. The small experiments are in it. For other experiments, and elements other than figures, it
// fetches sqrtdk.experiments.js from beside itself; where that cannot be, sqrtdk.auto.all.js is the one with everything.
// Under a strict policy the page needs this file's origin and 'wasm-unsafe-eval' in script-src; long runs leave the
// page's thread where worker-src allows blob:, and a race needs that.
import { setUpAuto } from "./auto_setup.ts";

setUpAuto(async () => {
  try {
    return await import("./experiments.ts");
  } catch (cause) {
    const [expected, got] = ["sqrtdk.auto.all.js", "sqrtdk.experiments.js"];
    const fields = { code: "one_file", argument: "", expected, got };
    throw Object.assign(new Error(fields.expected, { cause }), fields); // the vocabulary has a sentence for it
  }
});
