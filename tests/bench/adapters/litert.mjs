// LiteRT.js (TensorFlow Lite with XNNPACK), its wasm backend, one thread.
import { loadAndCompile, loadLiteRt, Tensor } from "@litertjs/core";
import { tfliteGraph } from "../graphs/tflite.mjs";

export async function create() {
  await loadLiteRt("/node_modules/@litertjs/core/wasm/", { threads: false });
  return {
    variants: () => ["plain"],
    async prepare(workload, inputs) {
      const graph = tfliteGraph(workload, inputs);
      const model = await loadAndCompile(graph, { accelerator: "wasm", cpuOptions: { numThreads: 1 } });
      const operands = Object.values(inputs)
        .slice(0, model.getInputDetails().length)
        .map(({ data, shape }) => new Tensor(data, shape));
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
