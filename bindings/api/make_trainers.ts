// Trainers on this thread.
import { bytesOf, objectOf, unsupported } from "./given.ts";
import { Handle } from "./handle.ts";
import type { ObjectMemory } from "./handle.ts";
import { parseListing } from "./listing.ts";
import type { Values } from "./listing.ts";
import { finite, whole } from "./number.ts";
import { seed64 } from "./params.ts";
import { raceResult } from "./race_rows.ts";
import { cancelledRun } from "./runner.ts";
import { clipped } from "./scale.ts";
import * as operators from "./signatures.ts";
import { stepsOf } from "./trainer_steps.ts";
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
  TrainerFacts,
  Trainers,
} from "./trainer.ts";
import type { TrainerConfig } from "./trainer_config.ts";

const op = "trainer";
const kMaxExamples = 4096;

class TrainerHandle extends Handle implements Trainer {
  #facts: TrainerFacts | undefined;

  get config(): Readonly<Record<string, string>> {
    const fields = this.memory.border.call(operators.trainer_config, this.#trainer).split("\0");
    return Object.fromEntries(
      Array.from({ length: fields.length / 2 }, (_, i) => [fields[2 * i]!, fields[2 * i + 1]!]),
    );
  }

  get steps(): number {
    return this.memory.border.call(operators.trainer_state, this.#trainer)[0]!;
  }

  get learning_rate(): number {
    return this.memory.border.call(operators.trainer_state, this.#trainer)[1]!;
  }

  set learning_rate(rate: number) {
    finite(op, "learning_rate", rate, 0);
    this.memory.border.call(operators.set_learning_rate, { ...this.#trainer, rate });
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

  get n_parameters(): number {
    return this.#known.n_parameters;
  }

  step(): StepResult {
    const numbers = this.memory.border.call(operators.trainer_step, this.#trainer);
    const [step, loss, learning_rate, gradient_norm, updated] = numbers;
    return {
      step: step!,
      loss: loss!,
      learning_rate: learning_rate!,
      gradient_norm: gradient_norm!,
      updated: updated === 1,
    };
  }

  run(howFar: HowFar, options: RunStepsOptions = {}): StepResult {
    const steps = stepsOf(this, howFar, options);
    const { signal, onStep } = options;
    if (signal?.aborted) throw cancelledRun(op, signal);
    let last: StepResult | undefined;
    for (const result of steps) {
      last = result;
      if (onStep?.(result) === false || signal?.aborted) throw cancelledRun(op, signal);
    }
    return last ?? noStep(this);
  }

  record(options: RecordOptions = {}): Float64Array<ArrayBuffer> {
    const given = { ...this.#trainer, ...recordArguments(options) };
    return this.memory.border.call(operators.trainer_record, given);
  }

  evaluate(n = 256, options: ScaleOption = {}): Evaluation {
    const given = { ...this.#trainer, scale: scaleText(options), n: whole(op, "n", n) };
    const [loss, token_accuracy, sequence_accuracy] = this.memory.border.call(
      operators.trainer_evaluate,
      given,
    );
    return { loss: loss!, token_accuracy: token_accuracy!, sequence_accuracy: sequence_accuracy! };
  }

  answers(n = 8, options: ScaleOption & { readonly first?: number | undefined } = {}): Answer[] {
    const scale = scaleText(options);
    const first = whole(op, "first", options.first ?? 0, 0);
    const given = { ...this.#trainer, scale, first, n: whole(op, "n", n, 0, kMaxExamples) };
    const text = this.memory.border.call(operators.trainer_answers, given);
    const [n_source, n_answer, ...texts] = text.split("\0");
    const [s, a] = [Number(n_source), Number(n_answer)];
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

  attention_maps(example = 0, options: ScaleOption = {}): AttentionMap[] {
    const { border } = this.memory;
    const given = { ...this.#trainer, scale: scaleText(options), example: whole(op, "example", example, 0) };
    const fields = border.call(operators.trainer_maps, given).split("\0");
    const maps: AttentionMap[] = [];
    for (let at = 0; at < fields.length;) {
      const attention = fields[at++]!;
      const [head, n_q, n_k, address] = fields.slice(at, (at += 4)).map(Number) as [
        number,
        number,
        number,
        number,
      ];
      const weights = border.raw.floats(address, n_q * n_k).slice();
      const queries = fields.slice(at, (at += n_q));
      maps.push({ attention, head, n_q, n_k, weights, queries, keys: fields.slice(at, (at += n_k)) });
    }
    return maps;
  }

  checkpoint(): Uint8Array<ArrayBuffer> {
    return this.memory.border.call(operators.save_trainer, this.#trainer);
  }

  restore(checkpoint: Uint8Array | ArrayBuffer): void {
    const bytes = bytesOf("restore", "checkpoint", checkpoint);
    const { border } = this.memory;
    border.withBytes("restore", bytes, (placed) =>
      border.call(operators.restore_trainer, { ...this.#trainer, checkpoint: placed }),
    );
  }

  weight_hash(): string {
    return this.memory.border.call(operators.trainer_hash, this.#trainer);
  }

  state_dict(): Record<string, Values> {
    const { border } = this.memory;
    const list = parseListing(border, border.call(operators.trainer_parameters, this.#trainer));
    return Object.fromEntries(list.map(({ name, copy }) => [name, copy()]));
  }

  get #known(): TrainerFacts {
    const { handle } = this; // also once it is known: throws after `dispose`
    if (this.#facts && handle) return this.#facts;
    const facts = this.memory.border.call(operators.trainer_facts, this.#trainer);
    const [chance, ceiling, n_parameters, ...columns] = facts.split("\0");
    this.#facts = {
      chance: Number(chance),
      ceiling: Number(ceiling),
      n_parameters: Number(n_parameters),
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
  const { scale } = objectOf(op, "options", options);
  return scale === undefined || scale === "" ? undefined : clipped(textOf("scale", scale));
}

/** What a run answers that made no step. */
export function noStep({ steps, learning_rate }: Trainer): StepResult {
  return { step: steps, loss: NaN, learning_rate, gradient_norm: NaN, updated: false };
}

function recordArguments(options: RecordOptions) {
  const { examples = 256, head_examples = 32 } = objectOf("record", "options", options);
  return {
    examples: whole(op, "examples", examples),
    head_examples: whole(op, "head_examples", head_examples, 1, kMaxExamples),
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
  [op, ...Object.entries(configTexts(options)).flat()]
    .map((field) => field.replaceAll("\0", "\uFFFD"))
    .join("\0");

function textOf(name: string, value: unknown): string {
  if (name === "seed") return String(seed64(op, value));
  if (["string", "number", "bigint", "boolean"].includes(typeof value)) return String(value);
  throw unsupported(op, name, "text, a number or a boolean", value);
}

export function makeTrainers(memory: ObjectMemory): Trainers {
  const { border } = memory;
  const made = (handle: number): Trainer => new TrainerHandle(memory, op, handle);
  return {
    trainer: (options = {}) =>
      border.withText(op, configText(options), (fields) =>
        made(border.call(operators.make_trainer, { fields })),
      ),
    load_trainer: (checkpoint) =>
      border.withBytes("load_trainer", bytesOf("load_trainer", "checkpoint", checkpoint), (placed) =>
        made(border.call(operators.load_trainer, { checkpoint: placed })),
      ),
    trainer_fields: () => {
      const fields = border.call(operators.trainer_fields, {}).split("\0");
      return Array.from({ length: fields.length / 3 }, (_, i) => ({
        name: fields[3 * i]!,
        expected: fields[3 * i + 1]!,
        default: fields[3 * i + 2]!,
      }));
    },
    race_result: (params, rows) => raceResult(border, params, rows),
  };
}
