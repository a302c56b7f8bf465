// The article's example as PyTorch prints it, seed by seed.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { reference, runJson } from "./command.ts";

interface Call {
  d: number;
  scaled: boolean;
  probs: number[];
}
interface ArticleRun {
  seed: number;
  dims: number[];
  lines: string[];
  calls: Call[];
}

const path = reference + "/article_snippet.json";
const runs = existsSync(path)
  ? (JSON.parse(readFileSync(path, "utf8")) as { article_runs: ArticleRun[] }).article_runs
  : [];

test.skipIf(runs.length === 0)("the reference's lines are printed, and its weights are close", () => {
  for (const { seed, dims, lines, calls } of runs) {
    const result = runJson("article_snippet", "--rng", "torch", "--seed", String(seed), "--d", dims.join());
    expect(result.lines, `seed ${seed}`).toEqual(lines);
    for (const { d, scaled, probs } of calls) {
      const figure = result.figures.find(({ at }) => at.d === String(d))!;
      const weights = figure.series.find(({ name }) => name === (scaled ? "scaled" : "unscaled"))!.y;
      // Unscaled scores reach 60: summed in another order they differ by a few units of 60 · 2^-24.
      for (const [i, p] of probs.entries())
        expect(Math.abs(weights[i]! - p)).toBeLessThan(scaled ? 2e-6 : 5e-5);
    }
  }
});
