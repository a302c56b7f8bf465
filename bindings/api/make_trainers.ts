// Trainers on this thread.
import { bytesOf, objectOf, unsupported } from "./given.ts";
import { Handle } from "./handle.ts";
import type { ObjectMemory } from "./handle.ts";
import { answerBytes, parseListing } from "./listing.ts";
import type { Values } from "./listing.ts";
import { finite, whole } from "./number.ts";
import { seed64 } from "./params.ts";
import { raceResult } from "./race_rows.ts";
import type { Operator, RawArgument } from "./raw.ts";
import { stepsOf } from "./trainer_steps.ts";
import { cancelledRun } from "./runner.ts";
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
const kMostExamples = 4096;

class TrainerHandle extends Handle<ObjectMemory> implements Trainer {
  #facts: TrainerFacts | undefined;

  get config(): Readonly<Record<string, string>> {
    const fields = this.#fields("trainer_config");
    return Object.fromEntries(
      Array.from({ length: fields.length / 2 }, (_, i) => [fields[2 * i]!, fields[2 * i + 1]!]),
    );
  }

  get steps(): number {
    return this.#numbers("trainer_state")[0]!;
  }

  get learning_rate(): number {
    return this.#numbers("trainer_state")[1]!;
  }

  set learning_rate(rate: number) {
    this.#call("set_learning_rate", finite(op, "learning_rate", rate, 0));
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
    const [step, loss, learning_rate, gradient_norm, updated] = this.#numbers("trainer_step");
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
    return this.#numbers("trainer_record", ...recordArguments(options));
  }

  evaluate(n = 256, options: ScaleOption = {}): Evaluation {
    return this.#withScale(options, (pointer, size) => {
      const given = [whole(op, "n", n), pointer, size];
      const [loss, token_accuracy, sequence_accuracy] = this.#numbers("trainer_evaluate", ...given);
      return { loss: loss!, token_accuracy: token_accuracy!, sequence_accuracy: sequence_accuracy! };
    });
  }

  answers(n = 8, options: ScaleOption & { readonly first?: number | undefined } = {}): Answer[] {
    return this.#withScale(options, (pointer, size) => {
      const first = whole(op, "first", options.first ?? 0, 0);
      const given = [first, whole(op, "n", n, 0, kMostExamples), pointer, size];
      const [n_source, n_answer, ...texts] = this.#fields("trainer_answers", ...given);
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
    });
  }

  attention_maps(example = 0, options: ScaleOption = {}): AttentionMap[] {
    return this.#withScale(options, (pointer, size) => {
      const fields = this.#fields("trainer_maps", whole(op, "example", example, 0), pointer, size);
      const maps: AttentionMap[] = [];
      for (let at = 0; at < fields.length;) {
        const attention = fields[at++]!;
        const [head, n_q, n_k, address] = fields.slice(at, (at += 4)).map(Number) as [
          number,
          number,
          number,
          number,
        ];
        const weights = this.memory.border.raw.floats(address, n_q * n_k).slice();
        const queries = fields.slice(at, (at += n_q));
        maps.push({ attention, head, n_q, n_k, weights, queries, keys: fields.slice(at, (at += n_k)) });
      }
      return maps;
    });
  }

  checkpoint(): Uint8Array<ArrayBuffer> {
    this.#call("save_trainer");
    return answerBytes(this.memory.border);
  }

  restore(checkpoint: Uint8Array | ArrayBuffer): void {
    const bytes = bytesOf("restore", "checkpoint", checkpoint);
    this.memory.border.withBytes("restore", bytes, (pointer, n) => {
      this.#call("restore_trainer", pointer, n);
    });
  }

  weight_hash(): string {
    return this.#text("trainer_hash");
  }

  state_dict(): Record<string, Values> {
    const list = parseListing(this.memory.border, this.#text("trainer_parameters"));
    return Object.fromEntries(list.map(({ name, copy }) => [name, copy()]));
  }

  get #known(): TrainerFacts {
    const { handle } = this; // also once it is known: throws after `dispose`
    if (this.#facts && handle) return this.#facts;
    const [chance, ceiling, n_parameters, ...columns] = this.#fields("trainer_facts");
    this.#facts = {
      chance: Number(chance),
      ceiling: Number(ceiling),
      n_parameters: Number(n_parameters),
      columns: Object.freeze(columns),
    };
    return this.#facts;
  }

  #call(operator: Operator, ...given: RawArgument[]): void {
    this.memory.border.call(operator, this.handle, ...given);
  }

  #text(operator: Operator, ...given: RawArgument[]): string {
    this.#call(operator, ...given);
    return this.memory.border.answer(0);
  }

  #fields(operator: Operator, ...given: RawArgument[]): string[] {
    return this.#text(operator, ...given).split("\0");
  }

  #numbers(operator: Operator, ...given: RawArgument[]): Float64Array<ArrayBuffer> {
    this.#call(operator, ...given);
    return new Float64Array(answerBytes(this.memory.border).buffer);
  }

  #withScale<T>(options: ScaleOption, use: (pointer: number, size: number) => T): T {
    const { scale } = objectOf(op, "options", options);
    return this.memory.border.withText(op, scale === undefined ? "" : textOf("scale", scale), use);
  }
}

/** What a run answers that made no step. */
export function noStep({ steps, learning_rate }: Trainer): StepResult {
  return { step: steps, loss: NaN, learning_rate, gradient_norm: NaN, updated: false };
}

function recordArguments(options: RecordOptions): [number, number] {
  const { examples = 256, head_examples = 32 } = objectOf("record", "options", options);
  return [whole(op, "examples", examples), whole(op, "head_examples", head_examples, 1, kMostExamples)];
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
  const made = (): Trainer => new TrainerHandle(memory, op, Number(border.answer(0)));
  return {
    trainer: (options = {}) =>
      border.withText(op, configText(options), (pointer, n) => {
        border.call("make_trainer", pointer, n);
        return made();
      }),
    load_trainer: (checkpoint) =>
      border.withBytes("load_trainer", bytesOf("load_trainer", "checkpoint", checkpoint), (pointer, n) => {
        border.call("load_trainer", pointer, n);
        return made();
      }),
    trainer_fields: () => {
      border.call("trainer_fields");
      const fields = border.answer(0).split("\0");
      return Array.from({ length: fields.length / 3 }, (_, i) => ({
        name: fields[3 * i]!,
        expected: fields[3 * i + 1]!,
        default: fields[3 * i + 2]!,
      }));
    },
    race_result: (params, rows) => raceResult(border, params, rows),
  };
}
