// The experiments as objects, on this thread or in a worker.
import type { ExperimentId, ExperimentNames, ExperimentParams } from "./experiment_schema.ts";
import { objectOf, textOf } from "./given.ts";
import { checked, unknownName } from "./known_names.ts";
import type { Names } from "./known_names.ts";
import { requestText } from "./params.ts";
import { operatorOf } from "./runner.ts";
import type { Runner } from "./runner.ts";
import type { Description, Figure, RunOptions, RunParams, RunResult, Scalar } from "./types.ts";

/** The parameters of an experiment; of one whose id is only known when it runs, any. */
export type ParamsOf<Id> = Id extends ExperimentId ? ExperimentParams[Id] : RunParams;

/** The result of an experiment, with the names that it uses. */
export type ResultOf<Id> = Id extends ExperimentId ? NamedResult<ExperimentNames[Id]> : RunResult;

/** A result whose names are among these. */
export interface NamedResult<Names extends ExperimentNames[ExperimentId]> extends RunResult {
  readonly verdict: Names["verdict"];
  readonly scalars: readonly (Scalar & { readonly name: Names["scalar"] })[];
  readonly figures: readonly (Figure & { readonly name: Names["figure"] })[];
}

/** One experiment. Parameters that are not given take their defaults. */
export interface Experiment<Id extends string = string> {
  readonly id: Id;
  /** Its question, parameters and presets, and the names that its results use. */
  describe(): Description;
  /** Estimated random draws of a run. Throws what `run` would throw for these parameters. */
  work(params?: ParamsOf<Id>): number;
  /** Computes at once. Throws `ValueError`, `ShapeError`, `FormatError`, `OutOfMemoryError`, or the signal's reason. */
  run(params?: ParamsOf<Id>, options?: RunOptions): ResultOf<Id>;
}

/** An experiment whose `run` leaves the page free. */
export interface WorkerExperiment<Id extends string = string> extends Omit<Experiment<Id>, "run"> {
  /** One run at a time, in the order of the calls. Rejects as `Experiment.run` throws, or with `WorkerError`. */
  run(params?: ParamsOf<Id>, options?: RunOptions): Promise<ResultOf<Id>>;
}

/** The experiments of a module, each by its id: `experiments.score_variance`. */
export type Experiments<E = Experiment> = ExperimentList<E> & {
  readonly [Id in ExperimentId]: E extends Experiment ? Experiment<Id> : WorkerExperiment<Id>;
};

/** How experiments are looked up. */
export interface ExperimentList<E = Experiment> {
  /** In the articles' order. */
  list(): readonly Description[];
  /** Throws `ValueError` naming the known ids. */
  get(id: string): E;
}

export function makeExperiments(runner: Runner): Experiments {
  return byId(runner, (id) => ({
    ...known(runner, id),
    run: (params = {}, options) => JSON.parse(runner.run(requestText(id, params), options)) as RunResult,
  }));
}

/** `run` is like a runner's but elsewhere. */
export function makeWorkerExperiments(
  runner: Runner,
  run: (request: string, options?: RunOptions) => Promise<string>,
): Experiments<WorkerExperiment> {
  return byId(runner, (id) => ({
    ...known(runner, id),
    run: async (params = {}, options = {}) =>
      JSON.parse(await run(requestText(id, params), objectOf(id, "options", options))) as RunResult,
  }));
}

const runNames: Names<RunOptions> = { signal: 1, onProgress: 1 };

/** Refuses unknown names of options. */
export function withCheckedRuns(runner: Runner): Runner {
  return { ...runner, run: (request, options) => runner.run(request, checkedRun(request, options)) };
}

/** The options of a run. Throws `ValueError` for unknown names. */
export function checkedRun(request: string, options: RunOptions = {}): RunOptions {
  return checked(operatorOf(request), "options", options, runNames);
}

function byId<E>(runner: Runner, make: (id: string) => E): Experiments<E> {
  const made = new Map(runner.descriptions().map(({ id }) => [id, make(id)]));
  const get = (id: string): E => {
    const operator = "experiments.get";
    const found = made.get(textOf(operator, "id", id));
    if (found) return found;
    throw unknownName(operator, "id", id, [...made.keys()]);
  };
  return { ...Object.fromEntries(made), list: runner.descriptions, get } as Experiments<E>;
}

function known(runner: Runner, id: string): Omit<Experiment, "run"> {
  const work = (params: RunParams = {}): number => runner.work(requestText(id, params));
  const describe = (): Description => runner.descriptions().find((one) => one.id === id) as Description;
  return { id, describe, work };
}
