// The golden cases, one after the other in workers: is each result what the native command computed?
import type { RunResult, Scalar } from "../../bindings/api/types.ts";
import type { Kernels } from "../elements/setup.ts";

/** A run written as on the command line, "score_variance --d 32 --seed 7", and the hash of its result. */
export interface Golden {
  line: string;
  id: string;
  params: Readonly<Record<string, string>>;
  hash: string;
}

export type CaseStatus = "waiting" | "running" | "same" | "differs" | "failed";

export interface Case extends Golden {
  status: CaseStatus;
  /** What was computed here; or why nothing was. */
  got: string;
}

/** The largest error of an operator, forward and backward, beside its bound. */
export interface OperatorError {
  operator: string;
  pass: string;
  error: number;
  bound: number;
  /** Both in units of the last place of each number; otherwise relative to the largest number. */
  inLastPlaces: boolean;
}

export type CheckStatus = "ready" | "running" | "done" | "cancelled";

export function goldensOf(hashes: Readonly<Record<string, string>>): Golden[] {
  return Object.entries(hashes).map(([line, hash]) => {
    const [id = "", ...words] = line.split(" ");
    const params: Record<string, string> = {};
    for (let i = 0; i < words.length; i += 2)
      params[(words[i] ?? "").replace(/^--/, "")] = words[i + 1] ?? "";
    return { line, id, params, hash };
  });
}

export function operatorErrors({ scalars }: Pick<RunResult, "scalars">): OperatorError[] {
  const value = (name: string, { operator, pass }: Scalar["at"]): number | undefined =>
    scalars.find(({ name: own, at }) => own === name && at["operator"] === operator && at["pass"] === pass)
      ?.value ?? undefined;
  return scalars
    .filter(({ name }) => name === "bound_relative" || name === "bound_last_places")
    .map(({ name, at, value: bound }) => {
      const inLastPlaces = name === "bound_last_places";
      const error = value(inLastPlaces ? "last_places" : "relative_error", at) ?? NaN;
      return {
        operator: at["operator"] ?? "",
        pass: at["pass"] ?? "",
        error,
        bound: bound ?? NaN,
        inLastPlaces,
      };
    });
}

export class Check {
  readonly cases: readonly Case[];
  errors: readonly OperatorError[] = [];
  status: CheckStatus = "ready";
  /** How much of the running case is done, 0..1. */
  share = 0;
  readonly #beside: Kernels["beside"];
  readonly #changed: () => void;
  readonly #abort = new AbortController();

  constructor(goldens: readonly Golden[], beside: Kernels["beside"], changed: () => void) {
    const isFirst = ({ id }: Golden): number => Number(id === "kernel_errors"); // the operators' own
    const sorted = [...goldens].sort((a, b) => isFirst(b) - isFirst(a));
    this.cases = sorted.map((golden) => ({ ...golden, status: "waiting", got: "" }));
    this.#beside = beside;
    this.#changed = changed;
  }

  count(status: CaseStatus): number {
    return this.cases.filter((each) => each.status === status).length;
  }

  /** How many cases are through, with the share of the one that runs. */
  get done(): number {
    return this.cases.length - this.count("waiting") - this.count("running") + this.share;
  }

  async run(): Promise<void> {
    this.status = "running";
    for (const each of this.cases) {
      if (this.#abort.signal.aborted) break;
      await this.#one(each);
    }
    this.status = this.#abort.signal.aborted ? "cancelled" : "done";
    this.#changed();
  }

  cancel(): void {
    this.#abort.abort();
  }

  async #one(each: Case): Promise<void> {
    const { signal } = this.#abort;
    const onProgress = (share: number): void => {
      this.share = share;
      this.#changed();
    };
    each.status = "running";
    this.#changed();
    try {
      const worker = await this.#beside(each.id);
      const result = await worker.experiments.get(each.id).run(each.params, { signal, onProgress });
      each.got = result.hash;
      each.status = result.hash === each.hash ? "same" : "differs";
      if (each.line === "kernel_errors") this.errors = operatorErrors(result);
    } catch (error) {
      each.status = signal.aborted ? "waiting" : "failed";
      if (!signal.aborted) each.got = error instanceof Error ? error.message : String(error);
    }
    this.share = 0;
  }
}
