// What comes with the module `experiments`: heat maps, and the parts of single figures.
import { heatmap } from "../charts/heatmap.ts";
import { addKinds } from "../charts/kinds.ts";
import { trace, traceText } from "../charts/trace.ts";
import { addParts } from "./parts.ts";
import { planeView } from "./plane_view.ts";

export function addExperimentParts(): void {
  addKinds({ heatmap });
  addParts({
    attention_steps: { trace, traceText },
    multi_head: { trace, traceText },
    similarity_measures: { view: planeView },
  });
}
