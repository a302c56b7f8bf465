// What people import, but for `load`: types, errors and the class of layers.
export * from "./index_nn.ts";
export type { Sqrtdk } from "./api.ts";
export type { ExperimentId, ExperimentNames, ExperimentParams, Matrix } from "./experiment_schema.ts";
export type {
  Experiment,
  ExperimentList,
  Experiments,
  NamedResult,
  ParamsOf,
  ResultOf,
  WorkerExperiment,
} from "./experiments.ts";
export type {
  Answer,
  AttentionMap,
  BesideOption,
  Evaluation,
  HowFar,
  RaceRows,
  RecordOptions,
  RunStepsOptions,
  ScaleOption,
  StepResult,
  Train,
  Trainer,
  TrainerFacts,
  TrainerField,
  WorkerTrain,
  WorkerTrainer,
} from "./trainer.ts";
export type { FlagText, NumberText, TrainerConfig } from "./trainer_config.ts";
