// Which of the page's two modules computes which experiment, as registered: a small one for the first figures, another
// for those on whole layers.
import registry from "../../src/experiments/experiments.inc?raw";

export type Module = "figures" | "layers";

const modules = new Map(
  [...registry.matchAll(/^EXPERIMENT\((\w+), (\w+)\)/gm)].map(([, id, module]) => [id!, module as Module]),
);

/** Throws an error with the fields of the library's errors where there is no such experiment. */
export function moduleOf(experiment: string): Module {
  const module = modules.get(experiment);
  if (module) return module;
  const expected = [...modules.keys()].join(", ");
  const fields = { code: "unknown_name", argument: "experiment", expected, got: experiment };
  throw Object.assign(new Error(`unknown experiment ${experiment}`), fields);
}
