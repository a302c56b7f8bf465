// Trainers on this thread.
import { camelCase, snakeCase } from "./camel_case.ts";
import { abortReason } from "./errors.ts";
import { bytesOf, objectOf, unsupported } from "./given.ts";
import { Handle } from "./handle.ts";
import type { ObjectMemory } from "./handle.ts";
import { checked } from "./known_names.ts";
import type { Names } from "./known_names.ts";
import { parseListing } from "./listing.ts";
import type { Values } from "./listing.ts";
import { finite, whole } from "./number.ts";
import { seed64 } from "./params.ts";
import { raceResult } from "./race_rows.ts";
import { clipped } from "./scale.ts";
import type { Kind } from "./scope.ts";
import * as operators from "./signatures.ts";
import { checkRunOptions, recordNames, stepsOf } from "./trainer_steps.ts";
import type {
  Answer,
  AttentionMap,
  Evaluation,
  HowFar,
  RecordOptions,
  RunStepsOptions,
  ScaleOption,
  StepResult,
  Trainer,
  Train,
  TrainerFacts,
  TrainerField,
} from "./trainer.ts";
import type { TrainerConfig } from "./trainer_config.ts";

const op = "trainer";
const kMaxExamples = 4096;
const scaleNames: Names<ScaleOption> = { scale: 1 };

class TrainerHandle extends Handle implements Trainer {
  #facts: TrainerFacts | undefined;

  /** @internal */
  override get counted(): Kind {
    return "trainers";
  }

  get config(): Readonly<Record<string, string>> {
    const fields = this.memory.border.call(op, operators.trainerConfig, this.#trainer).split("\0");
    return Object.fromEntries(
      Array.from({ length: fields.length / 2 }, (_, i) => [camelCase(fields[2 * i]!), fields[2 * i + 1]!]),
    );
  }

  get steps(): number {
    return this.memory.border.call(op, operators.trainerState, this.#trainer)[0]!;
  }

  get learningRate(): number {
    return this.memory.border.call(op, operators.trainerState, this.#trainer)[1]!;
  }

  set learningRate(rate: number) {
    finite(op, "learningRate", rate, 0);
    this.memory.border.call(op, operators.setLearningRate, { ...this.#trainer, rate });
  }

  get columns(): readonly string[] {
    return this.#known.columns;
  }

  get chance(): number {
    return this.#known.chance;
  }

  get ceiling(): number {
    return this.#known.ceiling;
  }

  get nParameters(): number {
    return this.#known.nParameters;
  }

  step(): StepResult {
    const numbers = this.memory.border.call(op, operators.trainerStep, this.#trainer);
    const [step, loss, learningRate, gradientNorm, updated] = numbers;
    return {
      step: step!,
      loss: loss!,
      learningRate: learningRate!,
      gradientNorm: gradientNorm!,
      updated: updated === 1,
    };
  }

  run(howFar: HowFar, options: RunStepsOptions = {}): StepResult {
    checkRunOptions(options);
    const steps = stepsOf(this, howFar, options);
    const { signal, onStep } = options;
    if (signal?.aborted) throw abortReason(signal);
    let last: StepResult | undefined;
    for (const result of steps) {
      last = result;
      if (onStep?.(result) === false || signal?.aborted) throw abortReason(signal);
    }
    return last ?? noStep(this);
  }

  record(options: RecordOptions = {}): Float64Array<ArrayBuffer> {
    checked("record", "options", options, recordNames);
    const given = { ...this.#trainer, ...recordArguments(options) };
    return this.memory.border.call(op, operators.trainerRecord, given);
  }

  evaluate(n = 256, options: ScaleOption = {}): Evaluation {
    checked(op, "options", options, scaleNames);
    const given = { ...this.#trainer, scale: scaleText(options), n: whole(op, "n", n) };
    const [loss, tokenAccuracy, sequenceAccuracy] = this.memory.border.call(
      op,
      operators.trainerEvaluate,
      given,
    );
    return { loss: loss!, tokenAccuracy: tokenAccuracy!, sequenceAccuracy: sequenceAccuracy! };
  }

  answers(n = 8, options: ScaleOption & { readonly first?: number | undefined } = {}): Answer[] {
    const scale = scaleText(checked(op, "options", options, { ...scaleNames, first: 1 }));
    const first = whole(op, "first", options.first ?? 0, 0);
    const given = { ...this.#trainer, scale, first, n: whole(op, "n", n, 0, kMaxExamples) };
    const text = this.memory.border.call(op, operators.trainerAnswers, given);
    const [nSource, nAnswer, ...texts] = text.split("\0");
    const [s, a] = [Number(nSource), Number(nAnswer)];
    return Array.from({ length: n }, (_, i) => {
      const at = i * (s + 2 * a);
      const [end, last] = [at + s, at + s + a];
      return {
        source: texts.slice(at, end),
        expected: texts.slice(end, last),
        answer: texts.slice(last, last + a),
      };
    });
  }

  attentionMaps(example = 0, options: ScaleOption = {}): AttentionMap[] {
    checked(op, "options", options, scaleNames);
    const { border } = this.memory;
    const given = { ...this.#trainer, scale: scaleText(options), example: whole(op, "example", example, 0) };
    const fields = border.call(op, operators.trainerMaps, given).split("\0");
    const maps: AttentionMap[] = [];
    for (let at = 0; at < fields.length;) {
      const attention = fields[at++]!;
      const [head, nQ, nK, address] = fields.slice(at, (at += 4)).map(Number) as [
        number,
        number,
        number,
        number,
      ];
      const weights = border.raw.floats(address, nQ * nK).slice();
      const queries = fields.slice(at, (at += nQ));
      maps.push({ attention, head, nQ, nK, weights, queries, keys: fields.slice(at, (at += nK)) });
    }
    return maps;
  }

  checkpoint(): Uint8Array<ArrayBuffer> {
    return this.memory.border.call(op, operators.saveTrainer, this.#trainer);
  }

  restore(checkpoint: Uint8Array | ArrayBuffer): void {
    const bytes = bytesOf("restore", "checkpoint", checkpoint);
    const { border } = this.memory;
    border.withBytes("restore", bytes, (placed) =>
      border.call("restore", operators.restoreTrainer, { ...this.#trainer, checkpoint: placed }),
    );
  }

  weightHash(): string {
    return this.memory.border.call(op, operators.trainerHash, this.#trainer);
  }

  stateDict(): Record<string, Values> {
    const { border } = this.memory;
    const list = parseListing(border, border.call(op, operators.trainerParameters, this.#trainer));
    return Object.fromEntries(list.map(({ name, copy }) => [name, copy()]));
  }

  get #known(): TrainerFacts {
    const { handle } = this; // also once it is known: throws after `dispose`
    if (this.#facts && handle) return this.#facts;
    const facts = this.memory.border.call(op, operators.trainerFacts, this.#trainer);
    const [chance, ceiling, nParameters, ...columns] = facts.split("\0");
    this.#facts = {
      chance: Number(chance),
      ceiling: Number(ceiling),
      nParameters: Number(nParameters),
      columns: Object.freeze(columns),
    };
    return this.#facts;
  }

  get #trainer(): { readonly trainer: number } {
    return { trainer: this.handle };
  }
}

/** None where none is given. Throws `ValueError`; names are looked up in C++. */
function scaleText(options: ScaleOption): string | undefined {
  const { scale } = options;
  return scale === undefined || scale === "" ? undefined : clipped(textOf("scale", scale));
}

/** What a run answers that made no step. */
export function noStep({ steps, learningRate }: Trainer): StepResult {
  return { step: steps, loss: NaN, learningRate, gradientNorm: NaN, updated: false };
}

function recordArguments(options: RecordOptions) {
  const { examples = 256, headExamples = 32 } = options;
  return {
    examples: whole(op, "examples", examples),
    headExamples: whole(op, "headExamples", headExamples, 1, kMaxExamples),
  };
}

/** Every field in its text form. Throws `ValueError` for a value that has none. */
export function configTexts(options: TrainerConfig): Record<string, string> {
  const given: [string, unknown][] = Object.entries(objectOf(op, "options", options));
  return Object.fromEntries(
    given.filter(([, value]) => value !== undefined).map(([name, value]) => [name, textOf(name, value)]),
  );
}

/** "trainer\0name\0text..": what C++ reads. */
const configText = (options: TrainerConfig): string =>
  [op, ...Object.entries(configTexts(options)).flatMap(([name, text]) => [snakeCase(name), text])]
    .map((field) => field.replaceAll("\0", "\uFFFD"))
    .join("\0");

function textOf(name: string, value: unknown): string {
  if (name === "seed") return String(seed64(op, value));
  if (["string", "number", "bigint", "boolean"].includes(typeof value)) return String(value);
  throw unsupported(op, name, "text, a number or a boolean", value);
}

export function makeTrain(memory: ObjectMemory): Train {
  const { border } = memory;
  const made = (handle: number): Trainer => new TrainerHandle(memory, op, handle);
  const fields = (): TrainerField[] => {
    const texts = border.call(op, operators.trainerFields, {}).split("\0");
    return Array.from({ length: texts.length / 3 }, (_, i) => ({
      name: camelCase(texts[3 * i]!),
      expected: texts[3 * i + 1]!,
      default: texts[3 * i + 2]!,
    }));
  };
  const names = (): Record<string, unknown> => Object.fromEntries(fields().map(({ name }) => [name, 1]));
  return {
    trainer: (options = {}) =>
      border.withText(op, configText(checked(op, "options", options, names())), (fields) =>
        made(border.call(op, operators.makeTrainer, { fields })),
      ),
    loadTrainer: (checkpoint) => {
      const op = "loadTrainer";
      return border.withBytes(op, bytesOf(op, "checkpoint", checkpoint), (placed) =>
        made(border.call(op, operators.loadTrainer, { checkpoint: placed })),
      );
    },
    fields,
    raceResult: (params, rows) => raceResult(border, params, rows),
  };
}
