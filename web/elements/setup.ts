// What the elements of one document share; the page and the single-file embed each set it up their way.
import type { First } from "../../bindings/api/first.ts";
import type { Description, RunResult } from "../../bindings/api/types.ts";
import type { Train, WorkerTrain } from "../../bindings/api/trainer.ts";
import type { UrlStore } from "../state/url_store.ts";
import type { Language, Vocabulary } from "../words/vocabulary.ts";
import type { CodeKind } from "./code_export.ts";
import type { saveAs } from "./exports.ts";
import type { Frame } from "./frame.ts";
import type { untilMeant } from "./meant.ts";
import type { readFile, readMatrixFile } from "./reader_data.ts";
import type { focusOf, remember } from "./take_over.ts";

/** The part of the API on this thread that the elements use. */
export interface Experiments {
  readonly experiments: Pick<First["experiments"], "get">;
  readonly formats: Pick<First["formats"], "readNpy">;
}

export type TrainerMaker = Pick<WorkerTrain, "trainer">;

/** What a race needs of the library: trainers in workers, and the figures of their records. */
export interface Training {
  /** On this thread. */
  readonly here: Pick<Train, "raceResult">;
  worker(): Promise<TrainerMaker>;
}

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
  readonly experiments: {
    get(id: string): {
      run(
        params: Readonly<Record<string, string>>,
        options: { signal: AbortSignal; onProgress: (share: number) => void },
      ): Promise<RunResult>;
    };
  };
}

/** Reads what a reader gives and saves what a reader takes: a page may load it when it is first asked for. */
export interface Files {
  readFile: typeof readFile;
  readMatrixFile: typeof readMatrixFile;
  saveAs: typeof saveAs;
  /** Where figures can be taken away as programs, too. */
  programs?: Programs | undefined;
}

export interface Programs {
  /** None where they cannot be loaded. */
  kinds(description: Description): Promise<readonly CodeKind[]>;
  /** Saves a program that computes the result. */
  save(kind: CodeKind, description: Description, result: RunResult): Promise<void>;
}

export interface TakeOver {
  remember: typeof remember;
  focusOf: typeof focusOf;
  untilMeant: typeof untilMeant;
}

export interface Setup {
  kernels: Kernels;
  files: Files;
  /** With all words of this experiment. */
  vocabulary(language: Language, experiment: string): Promise<Vocabulary>;
  /** For elements that are not printed: their shadow root, with styles of their own beside ours. */
  frame?: ((host: HTMLElement, styles: string) => Frame) | undefined;
  /** Where the golden results are of which a page does not say it. */
  goldens?: (() => URL) | undefined;
  /** For elements that are printed: how they take over what a reader has done to the print. */
  takeOver?: TakeOver | undefined;
  /** Which printed figures are loaded when a reader means them, not when they are seen. */
  waits?: ((experiment: string) => boolean) | undefined;
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
