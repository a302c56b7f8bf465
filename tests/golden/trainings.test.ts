import { afterEach, describe, expect, test } from "vitest";
import type { load } from "../../bindings/entry/full.ts";
import { NodeWorker, open } from "../bindings/node_worker.ts";
import { goldenTrainings, steps } from "./trainings.ts";

type Module = { readonly load: typeof load };

const moduleAt = (path: string): Promise<Module> =>
  import(new URL(`../../${path}`, import.meta.url).href) as Promise<Module>;
const published = "build/package/index.node.js";

afterEach(() => {
  for (const worker of open) worker.terminate();
});

test("there are golden trainings", () => {
  expect(goldenTrainings().length).toBeGreaterThan(1);
});

describe.each([published, "bindings/entry/experiments.ts"])("%s computes the golden weights in Node", (path) => {
  test.each(goldenTrainings())("$name", async ({ config, hash }) => {
    const sqrtdk = await (await moduleAt(path)).load();
    const trainer = sqrtdk.train.trainer(config);
    trainer.run(steps);
    expect(trainer.weightHash()).toBe(hash);
    trainer.dispose();
  });
});

test.each(goldenTrainings())("a worker computes $name in slices", async ({ config, hash }) => {
  const worker = await (await moduleAt(published)).load({ worker: () => new NodeWorker() });
  const trainer = await worker.train.trainer(config);
  await trainer.run(steps);
  expect(await trainer.weightHash()).toBe(hash);
  trainer.dispose();
});
