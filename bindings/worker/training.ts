// Training in a worker, both sides of it.
import { bytesOf, objectOf } from "../api/given.ts";
import { configTexts, makeTrainers } from "../api/make_trainers.ts";
import { instantiate } from "../api/module.ts";
import type { Glue } from "../api/module.ts";
import { Border } from "../api/raw.ts";
import { Scopes } from "../api/scope.ts";
import type { BesideOption, WorkerTrainers } from "../api/trainer.ts";
import type { FromWorker, ToWorker, ModuleWorker } from "./messages.ts";
import { RemoteTrainer, trainerWorkerOf } from "./remote_trainer.ts";
import { TrainerWorker } from "./trainer_client.ts";
import { TrainerHost } from "./trainer_host.ts";

/** The worker's side. */
export function makeHost(
  border: Border,
  post: (message: FromWorker, transfer: Transferable[]) => void,
): TrainerHost {
  return new TrainerHost(
    makeTrainers({ border, scopes: new Scopes() }),
    (report, transfer) => post({ kind: "trainer", report }, transfer),
    (error) => post({ kind: "failed", message: String(error) }, []),
  );
}

/** The page's side. */
export function makeWorkerTrainers(
  glue: Glue,
  module: WebAssembly.Module,
  create: () => ModuleWorker,
): WorkerTrainers {
  const workerFor = (op: string, where: BesideOption): TrainerWorker => {
    const { beside } = objectOf(op, "where", where);
    return beside === undefined
      ? new TrainerWorker(module, create, () => new Here(glue))
      : trainerWorkerOf(beside);
  };
  return {
    trainer: async (options = {}, where = {}) => {
      const config = configTexts(options);
      return RemoteTrainer.make(workerFor("trainer", where), { config });
    },
    load_trainer: async (given, where = {}) => {
      const checkpoint = bytesOf("load_trainer", "checkpoint", given);
      return RemoteTrainer.make(workerFor("load_trainer", where), { config: {}, checkpoint });
    },
  };
}

/** In the place of a worker: the same on this thread, with a module instance of its own. */
class Here implements ModuleWorker {
  onmessage: ModuleWorker["onmessage"] = null;
  onerror: ModuleWorker["onerror"] = null;
  readonly #glue: Glue;
  #host: Promise<TrainerHost | undefined> | undefined;
  #ended = false;

  constructor(glue: Glue) {
    this.#glue = glue;
  }

  postMessage(message: ToWorker): void {
    if ("module" in message) this.#host = this.#start(message.module);
    else if ("order" in message) void this.#host?.then((host) => this.#ended || host?.receive(message.order));
  }

  terminate(): void {
    this.#ended = true;
    void this.#host?.then((host) => host?.end());
  }

  async #start(module: WebAssembly.Module): Promise<TrainerHost | undefined> {
    try {
      const border = new Border(await instantiate(this.#glue, module));
      this.#tell({ kind: "ready" });
      return makeHost(border, (message) => this.#tell(message));
    } catch (error) {
      this.#tell({ kind: "failed", message: String(error) });
      return undefined;
    }
  }

  #tell(data: FromWorker): void {
    if (!this.#ended) this.onmessage?.({ data } as MessageEvent<FromWorker>);
  }
}
