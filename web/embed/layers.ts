// What sqrtdk.auto.js fetches for experiments on layers: their module, and their words.
import en from "../content/en/vocabulary.json?rest";
import zh from "../content/zh/vocabulary.json?rest";

export * from "./module.ts";
export const words = { en, zh };
