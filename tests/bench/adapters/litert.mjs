// LiteRT.js (TensorFlow Lite with XNNPACK), its wasm backend.
import { loadAndCompile, loadLiteRt, Tensor } from "@litertjs/core";
import { tfliteGraph } from "../graphs/tflite.mjs";

export async function create(threads) {
  await loadLiteRt("/node_modules/@litertjs/core/wasm/", { threads: threads > 1 });
  return {
    variants: ({ kind }) => (kind === "train" ? [] : ["plain"]), // it has no training
    async prepare(workload, inputs) {
      const graph = tfliteGraph(workload, inputs);
      const model = await loadAndCompile(graph, { accelerator: "wasm", cpuOptions: { numThreads: threads } });
      const given = Object.values(inputs);
      const operands = model.getInputDetails().map(({ shape }, i) => new Tensor(given[i].data, [...shape]));
      return {
        async run() {
          const [out] = await model.run(operands);
          const result = out.toTypedArray().slice();
          out.delete();
          return result;
        },
        dispose() {
          operands.forEach((tensor) => tensor.delete());
          model.delete();
        },
      };
    },
  };
}
