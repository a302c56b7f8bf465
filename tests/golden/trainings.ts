// Weights after 1,000 steps: tests/golden/training_*.inc say what they are everywhere; training_bits_test.cpp computes
// the same in C++.
import { readFileSync, readdirSync } from "node:fs";
import { camelCase } from "../../bindings/api/camel_case.ts";
import type { TrainerConfig } from "../../bindings/entry/full.ts";

export interface GoldenTraining {
  readonly name: string;
  readonly config: TrainerConfig;
  readonly hash: string;
}

export const steps = 1000;

export function goldenTrainings(): GoldenTraining[] {
  const files = readdirSync(import.meta.dirname).filter((file) => /^training_\w+\.inc$/.test(file));
  return files.map((name) => {
    const lines = readFileSync(`${import.meta.dirname}/${name}`, "utf8").matchAll(/\{"(.+?)", "(.*)"\}/g);
    const { weightHash: hash = "", ...config } = Object.fromEntries(
      [...lines].map(([, field = "", text = ""]): [string, string] => [camelCase(field), text]),
    );
    return { name, config, hash };
  });
}
