// The addresses of the built site's pages, as the sitemap would have them.
import { readdirSync } from "node:fs";

const experiments = readdirSync("build/site/en/lab", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

/** From a language's folder to each page of the laboratory. */
export const labPages = experiments.map((id) => `lab/${id}/`);

/** From a language's folder to the other pages. */
export const otherPages = [
  ...["", "lab/", "articles/", "models/", "embed/", "api/", "check/", "check/promises/"],
  ...["gallery", "recipes", "elements"].map((name) => `embed/${name}/`),
];

export const allPages = [...otherPages, ...labPages];

/** Pages of every kind: with a small figure, heat maps, a plane, a race, and prose alone. */
export const samplePages = [
  ...otherPages,
  ...["score_variance", "attention_steps", "similarity_measures", "training_race"].map((id) => `lab/${id}/`),
];
