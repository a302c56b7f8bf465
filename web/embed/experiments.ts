// What sqrtdk.auto.js fetches for the experiments of the module `experiments` and for races.
import en from "../content/en/vocabulary.json?rest";
import race from "../styles/race.css?text";
import zh from "../content/zh/vocabulary.json?rest";

export { load } from "../../bindings/entry/embed_experiments.ts";
export { addExperimentParts } from "../elements/experiment_parts.ts";
export { SqrtdkRace } from "../race/sqrtdk_race.ts";
export const words = { en, zh };
/** Of its elements, beside those of all figures. */
export const styles = race;
