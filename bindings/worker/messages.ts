// What a page and its workers tell each other.
import type { ErrorFields } from "../api/errors.ts";
import type { Border } from "../api/raw.ts";
import type { HowFar, RecordOptions, StepResult, TrainerFacts } from "../api/trainer.ts";

/** So many workers lost in a row are a call's own doing, not the browser's. */
export const kMaxLosses = 3;

export type ToWorker =
  | { readonly module: WebAssembly.Module }
  | { readonly request: string; readonly progress: boolean }
  | { readonly order: ToTrainers }
  | { readonly call: ToObjects };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly share: number }
  | { readonly kind: "done"; readonly json: string }
  | ({ readonly kind: "error" } & Failure)
  | { readonly kind: "trainer"; readonly report: FromTrainers }
  | { readonly kind: "object"; readonly report: FromObjects }
  | { readonly kind: "failed"; readonly message: string }; // the module itself: it cannot go on

/** A worker's script: its address, or its text. */
export type Script = string | URL | { readonly source: string };

/** Buffers that move with a message. */
export interface Transfer {
  transfer?: ArrayBuffer[];
}

/** What is used of a `Worker`. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  /** Sends a message to the script. */
  postMessage(message: unknown, options?: { transfer?: ArrayBuffer[] }): void;
  /** Ends it at once. */
  terminate(): void;
  /** In Node: the process goes on while there are calls. */
  ref?(): void;
  /** In Node: the process may end while there are none. */
  unref?(): void;
}

/** One that runs worker.js. */
export interface ModuleWorker extends WorkerLike {
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  postMessage(message: ToWorker, options?: Transfer): void;
}

/** The worker's side of some of the calls: takes of the messages those that are for it. */
export interface Host {
  receive(message: ToWorker): void;
  /** Nothing is heard any more. */
  end(): void;
}

/** `tell` says false where nobody listens any more. */
export type MakeHost = (border: Border, tell: Tell) => Host;
export type Tell = (message: FromWorker, transfer?: ArrayBuffer[]) => boolean;

/** An error as its fields, since a class does not cross. */
export interface Failure {
  readonly type: string;
  readonly fields: ErrorFields;
  readonly message: string;
}

// Trainers and calls have numbers, which the page's side gives.

/** The calls that are an answer each; see trainer_host.ts. */
export type Method =
  | "step"
  | "record"
  | "evaluate"
  | "answers"
  | "attentionMaps"
  | "checkpoint"
  | "restore"
  | "weightHash"
  | "setLearningRate";

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
  readonly recordEvery?: number | undefined;
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

export type Report =
  | { readonly kind: "answer"; readonly call: number; readonly value: unknown }
  | ({ readonly kind: "failure"; readonly call: number } & Failure)
  /** What is new of a run, and its last step's number. */
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

// Objects in a worker have numbers: those that the page's side makes are positive, those that a call has given negative.

/** What is called: a part of the API by its name, "" for the whole, or an object. */
export type Target = string | number;

export type ToObjects =
  /** Calls a method or reads a property. */
  | {
      readonly kind: "call";
      readonly call: number;
      readonly target: Target;
      readonly name: string;
      readonly given: readonly unknown[];
    }
  /** An object of the class `name` of `target` becomes number `object`. */
  | {
      readonly kind: "make";
      readonly call: number;
      readonly target: string;
      readonly name: string;
      readonly given: readonly unknown[];
      readonly object: number;
    }
  /** Ends a call that listens meanwhile; there is no answer. */
  | { readonly kind: "stop"; readonly call: number }
  | { readonly kind: "release"; readonly object: number };

export type FromObjects = { readonly call: number } & (
  | { readonly kind: "answer"; readonly value: unknown }
  | ({ readonly kind: "failure" } & Failure)
  /** A function that was given, by its place among them. */
  | { readonly kind: "called"; readonly callback: number; readonly given: readonly unknown[] }
);
