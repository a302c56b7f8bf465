// The module `ops` in workers: what they answer with, and what the page calls.
import type { Ops } from "../api/ops.ts";
import type { Random } from "../api/random.ts";
import { TensorMemory } from "../api/tensor.ts";
import { makeWithOps } from "../api/with_ops.ts";
import type { MemoryUse, WithOps } from "../api/with_ops.ts";
import type { ModuleInWorkers } from "./instance.ts";
import type { MakeHost } from "./messages.ts";
import { objectsHost } from "./objects_host.ts";
import { RemoteObjects } from "./remote_objects.ts";
import type { CallOptions, Remote } from "./remote_types.ts";
import { startWorkers } from "./start_workers.ts";

/** The calls of `WithOps` in a worker: they return promises and leave this thread free. */
export interface WithOpsWorker {
  readonly ops: Remote<Ops>;
  readonly random: Remote<Random>;
  /** Of the worker that keeps what calls make. */
  memory(options?: CallOptions): Promise<MemoryUse>;
}

/** What its workers answer with. */
export const withOpsHosts: readonly MakeHost[] = [
  objectsHost((border) => makeWithOps(new TensorMemory(border))),
];

export const withOps: ModuleInWorkers<WithOps, WithOpsWorker> = {
  hosts: withOpsHosts,
  start: startWorkers,
  beside: (here, _, workers) => opsIn(new RemoteObjects(workers), here),
};

export function opsIn(objects: RemoteObjects, here: WithOps): WithOpsWorker {
  return {
    ops: objects.part("ops", here.ops),
    random: objects.part("random", here.random),
    ...objects.part("", { memory: here.memory }),
  };
}
