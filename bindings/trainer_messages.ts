// What the page's side of a worker's trainers and the worker tell each other. Trainers and calls have numbers, which
// the page's side gives.
import type { ErrorFields } from "./errors.ts";
import type { HowFar, RecordOptions, StepResult, TrainerFacts } from "./trainer.ts";

/** The calls that are an answer each; see trainer_host.ts. */
export type Method =
  | "step"
  | "record"
  | "evaluate"
  | "answers"
  | "attention_maps"
  | "checkpoint"
  | "restore"
  | "weight_hash"
  | "set_learning_rate";

/** From a config, or a checkpoint and as many steps as are known to have been made. */
export interface MakeOrder {
  readonly kind: "make";
  readonly config: Readonly<Record<string, string>>;
  readonly checkpoint?: Uint8Array | undefined;
  readonly steps: number;
}

export interface CallOrder {
  readonly kind: "call";
  readonly method: Method;
  readonly given: readonly unknown[];
}

export interface RunOrder extends RecordOptions {
  readonly kind: "run";
  readonly howFar: HowFar;
  readonly record_every?: number | undefined;
  readonly records: boolean;
}

export type Order = (MakeOrder | CallOrder | RunOrder) & { readonly call: number };

export type ToTrainers = { readonly trainer: number } & (
  | Order
  /** Ends the run of this number after the step at hand. */
  | { readonly kind: "stop"; readonly call: number }
  | { readonly kind: "dispose" }
);

/** What `make` answers. */
export interface Made extends TrainerFacts {
  readonly config: Readonly<Record<string, string>>;
}

export interface Failure {
  readonly type: string;
  readonly fields: ErrorFields;
  readonly message: string;
}

export type Report =
  | { readonly kind: "answer"; readonly call: number; readonly value: unknown }
  | ({ readonly kind: "failure"; readonly call: number } & Failure)
  /** Of a run: what is new, and its last step's number. */
  | {
      readonly kind: "ran";
      readonly call: number;
      readonly rows: readonly Float64Array<ArrayBuffer>[];
      readonly result: StepResult | undefined;
      readonly last: number;
      /** The longest slice since the last report, in ms. */
      readonly slice: number;
    }
  /** Nothing more comes of this run. */
  | { readonly kind: "stopped"; readonly call: number }
  /** What a new worker could go on from. */
  | { readonly kind: "kept"; readonly checkpoint: Uint8Array<ArrayBuffer> }
  /** It makes steps again that were reported before. */
  | { readonly kind: "alive" };

export type FromTrainers = Report & { readonly trainer: number; readonly steps: number };
