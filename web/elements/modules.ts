// Which of the page's two modules computes which experiment: a small one for the first figures, another for all others.
import type { Description } from "../../bindings/api/types.ts";

export type Module = Description["module"];
export type Modules = Readonly<Record<string, Module>>;

/** Throws an error with the fields of the library's errors where there is no such experiment. */
export function moduleOf(experiment: string, modules: Modules): Module {
  const module = Object.hasOwn(modules, experiment) ? modules[experiment] : undefined;
  if (module) return module;
  const expected = Object.keys(modules).join(", ");
  const fields = { code: "unknown_name", argument: "experiment", expected, got: experiment };
  const wrong = experiment ? `unknown experiment ${experiment}` : "no experiment is named";
  throw Object.assign(new Error(`${wrong}, expected one of ${expected}`), fields);
}
