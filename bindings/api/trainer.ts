// Models that learn a task, on this thread or in a worker: what they take and give.
import type { Values } from "./listing.ts";
import type { Scale } from "./scale.ts";
import type { Owned } from "./scope.ts";
import type { TrainerConfig } from "./trainer_config.ts";
import type { RunParams, RunResult } from "./types.ts";

/** One step: a batch forward and back, and the optimizer. */
export interface StepResult {
  /** How many steps there are, with this one. */
  readonly step: number;
  /** The batch's mean loss before the step, in nats per token. */
  readonly loss: number;
  readonly learningRate: number;
  /** The norm over all parameters together, before clipping. */
  readonly gradientNorm: number;
  /** False where a gradient was not finite and `non_finite` is `"skip"`. */
  readonly updated: boolean;
}

/** How good the answers are on examples that are not trained with; the decoder is shown the answer's tokens so far. */
export interface Evaluation {
  /** In nats per token. */
  readonly loss: number;
  /** Shares, 0 .. 1; a sequence is right when all tokens of its answer are. */
  readonly tokenAccuracy: number;
  readonly sequenceAccuracy: number;
}

/** What the model makes of one source by itself, token by token, as texts. */
export interface Answer {
  readonly source: readonly string[];
  readonly expected: readonly string[];
  /** As long as `expected`; `"?"` where the logits are not numbers. */
  readonly answer: readonly string[];
}

/** One head's attention weights for one example. */
export interface AttentionMap {
  /** E.g. `"layers.0.self_attn"`. */
  readonly attention: string;
  readonly head: number;
  readonly nQ: number;
  readonly nK: number;
  /** [n_q, n_k], row-major; a row sums to 1. */
  readonly weights: Float32Array<ArrayBuffer>;
  /** The tokens of the rows and of the columns. */
  readonly queries: readonly string[];
  readonly keys: readonly string[];
}

/** A scale of the scores instead of the model's own: a number, or what `TrainerConfig.scale` takes. */
export interface ScaleOption {
  readonly scale?: Scale | undefined;
}

/** How many more steps, or the number of the last one: none where it was made already. */
export type HowFar = number | { readonly until: number };

/** From how many examples a record is made. */
export interface RecordOptions {
  /** For loss and accuracy; default 256. */
  readonly examples?: number | undefined;
  /** For the heads; default 32, at most 4096. */
  readonly headExamples?: number | undefined;
}

/** What a run records, and whom it tells of its steps. */
export interface RunStepsOptions extends RecordOptions {
  /** Steps from record to record; default 0: none. There is one before the first step of all, too. */
  readonly recordEvery?: number | undefined;
  /** Looked at after each step; aborting rejects with or throws its reason, and the steps made so far stay. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each record: a number for each of `columns`, NaN where there is none yet. It is the caller's. */
  readonly onRecord?: ((row: Float64Array<ArrayBuffer>) => unknown) | undefined;
  /**
   * Told of each step, in a worker of the last one about 20 times a second. What it or `onRecord` throws ends the run
   * and is thrown on; where it returns false, the run ends with an `AbortError`.
   */
  readonly onStep?: ((result: StepResult) => unknown) | undefined;
}

/** A field of `TrainerConfig`, for menus and help. */
export interface TrainerField {
  readonly name: string;
  /** `"integer"`, `"number"`, `"number or default"`, `"text"`, or its choices: `"layer, rms"`. */
  readonly expected: string;
  /** Text form. */
  readonly default: string;
}

/** What does not change while a trainer lives. */
export interface TrainerFacts {
  /** What the numbers of a record are: `"step"`, `"loss"`, .., `"entropy.layers.0.self_attn.0"`. */
  readonly columns: readonly string[];
  /** The share of tokens that the best answer gets right which does not look at the source. */
  readonly chance: number;
  /** What a perfect model gets right; of a text this is unknown, and below. */
  readonly ceiling: number;
  readonly nParameters: number;
}

/**
 * A model, its task and its optimizer in the module's memory. The same config gives the same bits on every machine and
 * in however many runs; looking at it in between changes none.
 */
export interface Trainer extends Owned, TrainerFacts {
  /** Every field in text form. */
  readonly config: Readonly<Record<string, string>>;
  /** How many were made. */
  readonly steps: number;
  /** The rate of the following steps, before warm-up and decay: part of the config. Setting throws `ValueError`. */
  learningRate: number;

  /** Throws `ValueError` where a gradient is not finite and `non_finite` is `"throw"`; then nothing is changed. */
  step(): StepResult;
  /** Steps at once; callbacks may look at the trainer. Answers the last step, or throws as `step` does, or the signal's reason. */
  run(n: HowFar, options?: RunStepsOptions): StepResult;
  /** The row that `run` would record at this step. */
  record(options?: RecordOptions): Float64Array<ArrayBuffer>;
  /** On the first `n` examples, default 256. */
  evaluate(n?: number, options?: ScaleOption): Evaluation;
  /** The answers to `n` examples from `first` on; default 8 from 0. */
  answers(n?: number, options?: ScaleOption & { readonly first?: number | undefined }): Answer[];
  /** The map of every attention and head for one example, default the first. */
  attentionMaps(example?: number, options?: ScaleOption): AttentionMap[];
  /** A safetensors file with everything that is needed to go on: weights, the optimizer's moments, config, steps. */
  checkpoint(): Uint8Array<ArrayBuffer>;
  /** Goes on as if it had made the checkpoint's steps. Throws `FormatError` for one of another config; then nothing is changed. */
  restore(checkpoint: Uint8Array | ArrayBuffer): void;
  /** 16 hex digits over all bits of all weights. */
  weightHash(): string;
  /** A copy of every parameter by PyTorch's name. */
  stateDict(): Record<string, Values>;
}

/** What makes trainers. */
export interface Train {
  /** Fields that are not given have the race's values. Throws `ValueError` that names the field, `OutOfMemoryError`. */
  trainer(options?: TrainerConfig): Trainer;
  /** The trainer that made a checkpoint, as it was. Throws `FormatError`. */
  loadTrainer(checkpoint: Uint8Array | ArrayBuffer): Trainer;
  /** In the order of the command line's help. */
  fields(): readonly TrainerField[];
  /**
   * The result of `training_race` with these parameters from records that trainers made: `rows[racer][seed][record]`;
   * racers are scales within numbers of heads. A race under way has fewer rows, or none. Throws `ValueError`, `ShapeError`.
   */
  raceResult(params: RunParams, rows: RaceRows): RunResult;
}

/** Of each racer, each seed and each record, the numbers of `columns`. */
export type RaceRows = readonly (readonly (readonly Float64Array[])[])[];

/**
 * A trainer in a worker, which is replaced where it dies: the new one goes on from a checkpoint, with the same bits, and
 * every record comes once. Everything but the run under way may be called during a run. Calls reject as `Trainer`
 * throws, with `WorkerError` where workers keep dying, and with `DisposedError` after `dispose`.
 */
export interface WorkerTrainer extends TrainerFacts {
  /** As last heard of. */
  readonly config: Readonly<Record<string, string>>;
  readonly steps: number;
  readonly learningRate: number;
  /** Workers that were lost so far. */
  readonly restarts: number;
  /** Told of each, after the replacement has begun. */
  onRestart?: ((restarts: number) => void) | undefined;
  /** False where no worker could be started: then it computes in slices on this thread. */
  readonly inWorker: boolean;

  /** As `Trainer.step`. */
  step(): Promise<StepResult>;
  /**
   * An abort rejects at once, and ends the run after the step at hand; records of steps that were made until then may
   * come after it. `{ until }` goes on from there.
   */
  run(n: HowFar, options?: RunStepsOptions): Promise<StepResult>;
  /** As `Trainer.record`. */
  record(options?: RecordOptions): Promise<Float64Array<ArrayBuffer>>;
  /** As `Trainer.evaluate`. */
  evaluate(n?: number, options?: ScaleOption): Promise<Evaluation>;
  /** As `Trainer.answers`. */
  answers(n?: number, options?: ScaleOption & { readonly first?: number | undefined }): Promise<Answer[]>;
  /** As `Trainer.attentionMaps`. */
  attentionMaps(example?: number, options?: ScaleOption): Promise<AttentionMap[]>;
  /** As `Trainer.checkpoint`. */
  checkpoint(): Promise<Uint8Array<ArrayBuffer>>;
  /** As `Trainer.restore`. */
  restore(checkpoint: Uint8Array | ArrayBuffer): Promise<void>;
  /** As `Trainer.weightHash`. */
  weightHash(): Promise<string>;
  /** For the steps after the one at hand. */
  setLearningRate(rate: number): Promise<void>;
  /** Ends the worker with its last trainer. Twice is harmless. */
  dispose(): void;
}

/** Trainers that leave the page free. */
export interface WorkerTrain {
  /** In a worker and module instance of its own, or in that of `beside`, where they take turns. */
  trainer(options?: TrainerConfig, where?: BesideOption): Promise<WorkerTrainer>;
  /** The trainer that made a checkpoint, as it was. Rejects with `FormatError`. */
  loadTrainer(checkpoint: Uint8Array | ArrayBuffer, where?: BesideOption): Promise<WorkerTrainer>;
}

/** The trainer whose worker takes the new one too. */
export interface BesideOption {
  readonly beside?: WorkerTrainer | undefined;
}
