// The parts of single figures that come with the module of the experiments with layers.
import { trace, traceText } from "../charts/trace.ts";
import type { Part } from "./parts.ts";
import { planeView } from "./plane_view.ts";

export const parts: Readonly<Record<string, Part>> = {
  attention_steps: { trace, traceText },
  multi_head: { trace, traceText },
  similarity_measures: { view: planeView },
};
