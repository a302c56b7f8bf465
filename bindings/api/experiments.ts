// The experiments as objects, on this thread or in a worker.
import { objectOf } from "./given.ts";
import { requestText } from "./params.ts";
import type { Runner } from "./runner.ts";
import type { Description, RunOptions, RunParams, RunResult } from "./types.ts";

/** One experiment. Parameters that are not given take their defaults. */
export interface Experiment {
  readonly id: string;
  /** Its question, parameters and presets, and the names that its results use. */
  describe(): Description;
  /** Estimated random draws of a run. Throws what `run` would throw for these parameters. */
  work(params?: RunParams): number;
  /** Computes at once. Throws `ValueError`, `ShapeError`, `FormatError`, `OutOfMemory`, `Cancelled`. */
  run(params?: RunParams, options?: RunOptions): RunResult;
}

/** An experiment whose `run` leaves the page free. */
export interface WorkerExperiment extends Omit<Experiment, "run"> {
  /** One run at a time, in the order of the calls. Rejects as `Experiment.run` throws, or with `WorkerError`. */
  run(params?: RunParams, options?: RunOptions): Promise<RunResult>;
}

/** The experiments of a module. */
export interface Experiments<E = Experiment> {
  /** In the articles' order. */
  experiments(): readonly Description[];
  /** Throws `ValueError` naming the known ids. */
  experiment(id: string): E;
}

export function makeExperiments(runner: Runner): Experiments {
  return {
    experiments: runner.descriptions,
    experiment: (id) => ({
      ...known(runner, id),
      run: (params = {}, options) => JSON.parse(runner.run(requestText(id, params), options)) as RunResult,
    }),
  };
}

/** `run` is like a runner's but elsewhere. */
export function makeWorkerExperiments(
  runner: Runner,
  run: (request: string, options?: RunOptions) => Promise<string>,
): Experiments<WorkerExperiment> {
  return {
    experiments: runner.descriptions,
    experiment: (id) => ({
      ...known(runner, id),
      run: async (params = {}, options = {}) =>
        JSON.parse(await run(requestText(id, params), objectOf(id, "options", options))) as RunResult,
    }),
  };
}

function known(runner: Runner, id: string): Omit<Experiment, "run"> {
  const work = (params: RunParams = {}): number => runner.work(requestText(id, params));
  work(); // throws where the id is unknown
  const describe = (): Description => runner.descriptions().find((one) => one.id === id) as Description;
  return { id, describe, work };
}
