// What the elements of one document share; the page and the single-file embed each set it up their way.
import type { RunResult, Sqrtdk } from "../../bindings/index.ts";
import type { UrlStore } from "../state/url_store.ts";
import type { Training } from "./race_kernels.ts";
import type { Language, Vocabulary } from "./vocabulary.ts";

/** The part of the API on this thread that the elements use. */
export type Experiments = Pick<Sqrtdk, "experiment" | "read_npy">;

/** Loads the module of an experiment. */
export interface Kernels {
  /** On this thread. */
  here(experiment: string): Promise<Experiments>;
  /** In a worker. */
  beside(experiment: string): Promise<WorkerExperiments>;
  /** For races of training. */
  training(): Promise<Training>;
}

/** The part of a loaded worker that the elements use. */
export interface WorkerExperiments {
  experiment(id: string): {
    run(
      params: Readonly<Record<string, string>>,
      options: { signal: AbortSignal; onProgress: (share: number) => void },
    ): Promise<RunResult>;
  };
}

export interface Setup {
  kernels: Kernels;
  /** With all words of this experiment. */
  vocabulary(language: Language, experiment: string): Promise<Vocabulary>;
  /** Style of elements that live in a shadow root. */
  styles?: (() => CSSStyleSheet) | undefined;
  /** Absent where the page around the elements owns its address. */
  store?: UrlStore | undefined;
}

let current: Setup | undefined;

export function setUp(setup: Setup): void {
  current = setup;
}

export function currentSetup(): Setup {
  if (!current) throw new Error("the elements were not set up");
  return current;
}
