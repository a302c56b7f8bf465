// Training in workers, both sides of it.
import { bytesOf, objectOf } from "../api/given.ts";
import { configTexts, makeTrain } from "../api/make_trainers.ts";
import type { Border } from "../api/raw.ts";
import { Scopes } from "../api/scope.ts";
import type { BesideOption, WorkerTrain } from "../api/trainer.ts";
import type { Host, Tell } from "./messages.ts";
import { RemoteTrainer, trainerWorkerOf } from "./remote_trainer.ts";
import { TrainerWorker } from "./trainer_client.ts";
import { TrainerHost } from "./trainer_host.ts";
import type { Workers } from "./workers.ts";

/** The worker's side. */
export function trainersHost(border: Border, tell: Tell): Host {
  const host = new TrainerHost(
    makeTrain({ border, scopes: new Scopes(border) }),
    (report, transfer) => tell({ kind: "trainer", report }, transfer),
    (error) => tell({ kind: "failed", message: String(error) }),
  );
  return {
    receive: (message) => {
      if ("order" in message) host.receive(message.order);
    },
    end: () => host.end(),
  };
}

/** The page's side. */
export function makeWorkerTrain(workers: Workers): WorkerTrain {
  const workerFor = (op: string, where: BesideOption): TrainerWorker => {
    const { beside } = objectOf(op, "where", where);
    return beside === undefined ? new TrainerWorker(workers) : trainerWorkerOf(beside);
  };
  return {
    trainer: async (options = {}, where = {}) => {
      const config = configTexts(options);
      return RemoteTrainer.make(workerFor("trainer", where), { config });
    },
    loadTrainer: async (given, where = {}) => {
      const checkpoint = bytesOf("loadTrainer", "checkpoint", given);
      return RemoteTrainer.make(workerFor("loadTrainer", where), { config: {}, checkpoint });
    },
  };
}
