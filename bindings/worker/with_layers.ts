// The module `nn` in workers: what they answer with, and what the page calls.
import type { Formats } from "../api/formats.ts";
import type { Models } from "../api/models.ts";
import type { Nn } from "../api/nn.ts";
import { TensorMemory } from "../api/tensor.ts";
import { makeWithLayers } from "../api/with_layers.ts";
import type { WithLayers } from "../api/with_layers.ts";
import type { ModuleInWorkers } from "./instance.ts";
import type { MakeHost } from "./messages.ts";
import { objectsHost } from "./objects_host.ts";
import { RemoteObjects } from "./remote_objects.ts";
import type { Remote } from "./remote_types.ts";
import { startWorkers } from "./start_workers.ts";
import { opsIn } from "./with_ops.ts";
import type { WithOpsWorker } from "./with_ops.ts";

/** The calls of `WithLayers` in a worker: they return promises and leave this thread free. */
export interface WithLayersWorker extends WithOpsWorker {
  readonly formats: Remote<Formats>;
  readonly nn: Remote<Nn>;
  readonly models: Remote<Models>;
}

/** What its workers answer with. */
export const withLayersHosts: readonly MakeHost[] = [
  objectsHost((border) => makeWithLayers(new TensorMemory(border))),
];

export const withLayers: ModuleInWorkers<WithLayers, WithLayersWorker> = {
  hosts: withLayersHosts,
  start: startWorkers,
  beside: (here, _, workers) => layersIn(new RemoteObjects(workers), here),
};

export function layersIn(objects: RemoteObjects, here: WithLayers): WithLayersWorker {
  return {
    ...opsIn(objects, here),
    formats: objects.part("formats", here.formats),
    nn: objects.part("nn", here.nn),
    models: objects.part("models", here.models),
  };
}
