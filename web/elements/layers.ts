// The module of the experiments with layers: there the builds put build/layers into the place of bindings.
export { load } from "../../bindings/index.ts";
