// A trainer whose steps take no time.
import type { TrainerConfig } from "../../bindings/entry/full.ts";

export const small: TrainerConfig = {
  length: 4,
  symbols: 5,
  dModel: 16,
  nHeads: 2,
  batch: 4,
  dropout: 0.1,
  seed: 3,
};
