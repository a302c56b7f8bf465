// What the module `nn` offers on this thread: operators, layers and models.
import { makeFormats } from "./formats.ts";
import type { Formats } from "./formats.ts";
import { makeModels } from "./models.ts";
import type { Models } from "./models.ts";
import { makeNn } from "./nn.ts";
import type { Nn } from "./nn.ts";
import type { TensorMemory } from "./tensor.ts";
import { makeWithOps } from "./with_ops.ts";
import type { WithOps } from "./with_ops.ts";

export interface WithLayers extends WithOps {
  readonly formats: Formats;
  readonly nn: Nn;
  readonly models: Models;
}

export function makeWithLayers(memory: TensorMemory): WithLayers {
  return {
    ...makeWithOps(memory),
    formats: makeFormats(memory),
    nn: makeNn(memory),
    models: makeModels(memory),
  };
}
