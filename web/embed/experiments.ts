// What sqrtdk.auto.js fetches for the experiments of the module `experiments` and for races.
import en from "../content/en/vocabulary.json?rest";
import experiments from "../styles/experiments.css?text";
import zh from "../content/zh/vocabulary.json?rest";

export { load } from "../../bindings/entry/embed_experiments.ts";
export { addExperimentParts } from "../elements/experiment_parts.ts";
export { SqrtdkCheck } from "../check/sqrtdk_check.ts";
export { saveAs } from "../elements/exports.ts";
export { readFile, readMatrixFile } from "../elements/reader_data.ts";
export { SqrtdkRace } from "../race/sqrtdk_race.ts";
export const words = { en, zh };
/** Of its elements, beside those of all figures. */
export const styles = experiments;
