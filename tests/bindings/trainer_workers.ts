// A fresh library for each test, whose trainers work in threads of Node; and what is asked of both.
import { afterEach, beforeEach, expect, vi } from "vitest";
import type * as Api from "../../bindings/entry/full.ts";
import { NodeWorker, open, opened } from "./node_worker.ts";
import { small } from "./small_trainer.ts";

export const forever = 1e9; // steps

export let api: typeof Api;
export let worker: Api.SqrtdkWorker;
/** The worker that was opened last. */
export let last: NodeWorker;

export function freshWorkers(): void {
  vi.setConfig({ testTimeout: 20000 });
  beforeEach(async () => {
    opened.count = 0;
    worker = await loadAnew(() => (last = new NodeWorker()));
  });
  afterEach(() => {
    vi.useRealTimers();
    for (const one of open) one.terminate();
  });
}

/** The library once more, with workers made so. */
export async function loadAnew(create: () => NodeWorker): Promise<Api.SqrtdkWorker> {
  vi.resetModules();
  api = await import("../../bindings/entry/full.ts");
  return api.load({ worker: create });
}

/** What this is rejected with. */
export const reason = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("it went through"),
    (error: unknown) => error,
  );

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The library's error with which this is rejected. */
export async function typed(promise: Promise<unknown>): Promise<Api.SqrtdkError> {
  const error = await promise.then(
    () => expect.unreachable("it went through"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(api.SqrtdkError);
  return error as Api.SqrtdkError;
}

/** What this thread makes of the same. */
export async function here(steps: number, recordEvery = 0) {
  const trainer = (await api.load()).train.trainer(small);
  const rows: Float64Array[] = [];
  const result = trainer.run(steps, { recordEvery, examples: 8, onRecord: (row) => rows.push(row) });
  return { trainer, rows, result, hash: trainer.weightHash() };
}
