import { afterEach, describe, expect, test } from "vitest";
import type { load } from "../../bindings/index.ts";
import { NodeWorker, open } from "../bindings/node_worker.ts";
import { goldenTrainings, steps } from "./trainings.ts";

type Module = { readonly load: typeof load };

const published = (folder: string): Promise<Module> =>
  import(new URL(`../../build/${folder}/index.js`, import.meta.url).href) as Promise<Module>;

afterEach(() => {
  for (const worker of open) worker.terminate();
});

test("there are golden trainings", () => {
  expect(goldenTrainings().length).toBeGreaterThan(1);
});

describe.each(["package", "layers"])("build/%s computes the golden weights in Node", (folder) => {
  test.each(goldenTrainings())("$name", async ({ config, hash }) => {
    const sqrtdk = await (await published(folder)).load();
    const trainer = sqrtdk.trainer(config);
    trainer.run(steps);
    expect(trainer.weight_hash()).toBe(hash);
    trainer.dispose();
  });
});

test.each(goldenTrainings())("a worker computes $name in slices", async ({ config, hash }) => {
  const worker = await (await published("package")).load({ worker: () => new NodeWorker() });
  const trainer = await worker.trainer(config);
  await trainer.run(steps);
  expect(await trainer.weight_hash()).toBe(hash);
  trainer.dispose();
});
