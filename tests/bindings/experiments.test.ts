import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { ValueError, load } from "../../bindings/entry/full.ts";
import type { RunParams, Sqrtdk } from "../../bindings/entry/full.ts";
import { startModule } from "./start_module.ts";
import { requestText } from "../../bindings/api/params.ts";
import { Border } from "../../bindings/api/raw.ts";
import { makeRunner } from "../../bindings/api/runner.ts";
import { descriptions } from "../../web/page/words.mjs";
import { raised, thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const small = { trials: 200 };
const long = { d: 512, trials: 100000 };

describe("experiments", () => {
  it("are described", () => {
    const all = sqrtdk.experiments.list();
    expect(all).toEqual(descriptions());
    for (const description of all) {
      expect(sqrtdk.experiments.get(description.id).describe()).toBe(description);
      expect(description.question).not.toBe("");
      for (const { name, type, min, max } of description.params) {
        expect(name).toMatch(/^[a-z_]+$/);
        expect(type).toMatch(/^(int|int_list|real|choice|scale_list|seed|matrix|text|file)$/);
        expect(min ?? 0).toBeLessThanOrEqual(max ?? Infinity);
      }
    }
  });

  it("run with defaults, and give the same result for every form of the same parameters", () => {
    const { run } = sqrtdk.experiments.get("article_snippet");
    const result = run();
    expect(result).toMatchObject({ experiment: "article_snippet", params: { d: "32,128,512", seed: "0" } });
    expect(result.lines).toHaveLength(3);
    expect(result.hash).toMatch(/^[0-9a-f]{16}$/);
    for (const d of ["32,128,512", [32, 128, 512], ["32", 128, "512"]]) expect(run({ d })).toEqual(result);
    for (const seed of [7, 7n, "7"]) expect(run({ seed }).hash).toBe(run({ seed: 7 }).hash);
    expect(run({ seed: 2n ** 64n - 1n }).params.seed).toBe("18446744073709551615");
  });

  it("take the reader's own numbers", () => {
    const q = { data: new Float32Array([1, 0.1, -2]), shape: [1, 3] };
    const k = { data: new Float32Array([1, 2, 3, 4, 5, 6]), shape: [2, 3] };
    const { run } = sqrtdk.experiments.get("article_snippet");
    const byText = run({ d: 3, q: "1,0.1,-2", k: "1,2,3;4,5,6" });
    expect(run({ d: 3, q, k })).toEqual(byText);
    const tensor = sqrtdk.tensor(k.data, k.shape);
    expect(run({ d: 3, q, k: tensor })).toEqual(byText);
    const rows = [
      [1, 2, 3],
      [4, 5, 6],
    ];
    expect(run({ d: 3, q: [[1, 0.1, -2]], k: rows })).toEqual(byText);
    tensor.dispose();
  });

  it("estimate their work", () => {
    const { work } = sqrtdk.experiments.get("score_variance");
    expect(work({ trials: 2000 })).toBeGreaterThan(0);
    expect(work({ trials: 20000 })).toBeCloseTo(10 * work({ trials: 2000 }), -3);
  });

  it("report what is wrong, field by field, and go on", () => {
    const cases: [RunParams, object][] = [
      [{ d: 0 }, { code: "out_of_range", argument: "d", expected: "1 .. 16384", got: "0" }],
      [{ d: 1e9 }, { code: "out_of_range", argument: "d", got: "1000000000" }],
      [{ d: "" }, { code: "empty", argument: "d" }],
      [{ d: NaN }, { code: "not_a_number", argument: "d", got: "NaN" }],
      [{ d: "2.5" }, { code: "not_a_number", argument: "d", got: "2.5" }],
      [{ d: Array.from({ length: 17 }, (_, i) => i + 1) }, { code: "too_many", argument: "d" }],
      [{ distribution: "cauchy" }, { code: "not_a_choice", argument: "distribution", got: "cauchy" }],
      [{ dd: 1 }, { code: "unknown_name", got: "dd" }],
      [{ seed: "-1" }, { code: "out_of_range", argument: "seed" }],
    ];
    const { run, work } = sqrtdk.experiments.get("score_variance");
    for (const [params, fields] of cases) {
      for (const action of [run, work]) {
        const error = thrown(() => action(params));
        expect(error).toBeInstanceOf(ValueError);
        expect(error).toMatchObject({ name: "ValueError", operator: "score_variance", ...fields });
        expect(error.message).toContain("score_variance");
      }
    }
    expect(thrown(() => sqrtdk.experiments.get("nothing"))).toMatchObject({
      code: "unknown_name",
      operator: "experiments.get",
      argument: "id",
      got: "nothing",
    });
    expect(thrown(() => sqrtdk.experiments.get("score_varianc")).message).toContain(
      "did you mean score_variance?",
    );
    expect(run(small).experiment).toBe("score_variance");
  });

  it("refuse a matrix with NaN or of the wrong shape", () => {
    const { run } = sqrtdk.experiments.get("article_snippet");
    const k = { data: [1, 2, 3, 4], shape: [2, 2] };
    const holes = { data: [1, NaN], shape: [1, 2] };
    expect(thrown(() => run({ d: 2, q: holes, k })).code).toMatch(/^not_(finite|a_number)$/);
    expect(thrown(() => run({ d: 3, q: { data: [1, 2, 3], shape: [1, 3] }, k })).code).toBe("wrong_shape");
  });
});

describe("progress and cancelling on this thread", () => {
  it("reports growing shares", () => {
    const shares: number[] = [];
    const run = sqrtdk.experiments.score_variance.run(
      { trials: 20000 },
      { onProgress: (x) => shares.push(x) },
    );
    expect(shares.length).toBeGreaterThan(1);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBeGreaterThan(0.9);
    expect(shares.at(-1)).toBeLessThanOrEqual(1);
    expect(run.hash).toBe(sqrtdk.experiments.get("score_variance").run({ trials: 20000 }).hash);
  });

  it("stops where onProgress returns false", () => {
    let calls = 0;
    const onProgress = (): boolean => ++calls < 3;
    const error = raised(() => sqrtdk.experiments.get("score_variance").run(long, { onProgress }));
    expect(error).toMatchObject({ name: "AbortError" });
    expect(calls).toBe(3);
  });

  it("throws on what onProgress throws", () => {
    const mine = new Error("mine");
    const onProgress = (): never => {
      throw mine;
    };
    expect(() => sqrtdk.experiments.get("score_variance").run(long, { onProgress })).toThrow(mine);
  });

  it("stops at an aborted signal, before or during the run", () => {
    const { run } = sqrtdk.experiments.get("softmax_saturation");
    expect(raised(() => run({}, { signal: AbortSignal.abort("why") }))).toBe("why");
    const controller = new AbortController();
    const onProgress = (): void => controller.abort();
    expect(raised(() => run(long, { signal: controller.signal, onProgress }))).toBe(controller.signal.reason);
    expect(run(small).experiment).toBe("softmax_saturation");
  });

  it("lets onProgress use the module", () => {
    const { run } = sqrtdk.experiments.get("article_snippet");
    const inner: string[] = [];
    const onProgress = (): unknown => inner.push(run().hash);
    const outer = sqrtdk.experiments.get("score_variance").run({ trials: 20000 }, { onProgress });
    expect(new Set(inner)).toEqual(new Set([run().hash]));
    expect(outer.hash).toBe(sqrtdk.experiments.get("score_variance").run({ trials: 20000 }).hash);
  });
});

/** Where two texts part, with what comes before; empty where they are the same. */
function difference(a: string, b: string): string {
  if (a === b) return "";
  let i = 0;
  while (a[i] === b[i]) ++i;
  return `${a.slice(Math.max(0, i - 200), i + 20)} | ${b.slice(i, i + 20)}`;
}

describe("the native command", () => {
  const command = fileURLToPath(new URL("../../build/native/bin/sqrtdk", import.meta.url));
  const cases: [string, Record<string, string>][] = [
    ["article_snippet", {}],
    ["article_snippet", { d: "1,2,3,33", rng: "torch", seed: "18446744073709551615" }],
    ["article_snippet", { d: "1000", draws: "paired", n_keys: "64" }],
    ["score_variance", { trials: "3000", distribution: "student_t", correlation: "0.3", mean: "0.1" }],
    ["score_variance", { trials: "1000", distribution: "rademacher", n_keys: "1" }],
    ["softmax_saturation", { trials: "500", scale: "none,1/d,0.3" }],
  ];
  it.skipIf(!existsSync(command)).each(cases)("writes the same bytes: %s %o", async (id, params) => {
    const runner = makeRunner(new Border(await startModule()));
    const options = Object.entries(params).flatMap(([name, value]) => [`--${name}`, value]);
    const native = execFileSync(command, ["run", id, ...options, "--json"], { encoding: "utf8" });
    expect(difference(runner.run(requestText(id, params)), native.trimEnd())).toBe("");
  });
});
