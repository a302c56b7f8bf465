// onnxruntime-web, its wasm backend. Attention as a plain graph (plain), as com.microsoft's
// MultiHeadAttention (mha) and as ONNX's Attention (attention23); layers as a plain graph and with fused operators.
import * as ort from "onnxruntime-web";
import { onnxGraph } from "../graphs/onnx.mjs";

const variants = {
  attention: ["plain", "mha", "attention23"],
  encoder: ["plain", "fused"],
  decoder: ["plain", "fused"],
  train: [], // it has no training
};

export function create(threads) {
  ort.env.wasm.numThreads = threads;
  return {
    variants: ({ kind }) => variants[kind] ?? ["plain"],
    async prepare(workload, inputs, variant) {
      const session = await ort.InferenceSession.create(onnxGraph(workload, inputs, variant), {
        executionProviders: ["wasm"],
        graphOptimizationLevel: "all",
      });
      const feeds = session.inputNames.map((name, i) => {
        const { shape } = session.inputMetadata[i];
        return [name, new ort.Tensor("float32", inputs[name].data, shape)];
      });
      const operands = Object.fromEntries(feeds);
      return { run: async () => (await session.run(operands)).out.data, dispose: () => session.release() };
    },
  };
}
