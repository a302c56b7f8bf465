import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import { describe, expect, it } from "vitest";
import type { RunResult, Scalar } from "../../../bindings/api/types.ts";
import { reportText } from "../../../web/check/check_report.ts";
import { Check, goldensOf, operatorErrors } from "../../../web/check/check_run.ts";
import { checkView, countText, noCheckActions } from "../../../web/check/check_view.ts";
import type { Kernels } from "../../../web/elements/setup.ts";
import { goldens as repoGoldens } from "../../golden/goldens.ts";
import { vocabularyOf } from "../elements/fixtures/load.ts";

const vocabulary = vocabularyOf("en");
const hashes = { score_variance: "aa", kernel_errors: "bb", "qk_exchange --n 33 --scale none": "cc" };

const scalars: Scalar[] = [
  { name: "relative_error", at: { operator: "matmul", pass: "forward" }, value: 1.5e-7 },
  { name: "bound_relative", at: { operator: "matmul", pass: "forward" }, value: 6e-7 },
  { name: "relative_error", at: { operator: "exp", pass: "forward" }, value: 3e-8 },
  { name: "last_places", at: { operator: "exp", pass: "forward" }, value: 0.84 },
  { name: "bound_last_places", at: { operator: "exp", pass: "forward" }, value: 1 },
];

type Run = (
  id: string,
  params: Readonly<Record<string, string>>,
  signal: AbortSignal,
  onProgress: (share: number) => void,
) => Promise<string>;

/** A worker whose results have the hash that `run` says. */
function beside(run: Run): Kernels["beside"] {
  const worker: Awaited<ReturnType<Kernels["beside"]>> = {
    experiments: {
      get: (id) => ({
        run: async (params, { signal, onProgress }) =>
          ({ hash: await run(id, params, signal, onProgress), scalars }) as unknown as RunResult,
      }),
    },
  };
  return () => Promise.resolve(worker);
}

const right: Run = (id) =>
  Promise.resolve({ score_variance: "aa", kernel_errors: "bb", qk_exchange: "cc" }[id] ?? "");

function check(run: Run, changed = (): void => undefined): Check {
  return new Check(goldensOf(hashes), beside(run), changed);
}

function markup(of: Check | undefined, language: "en" | "zh" = "en"): string {
  const state = { vocabulary: vocabularyOf(language), check: of, problem: "", note: "" };
  return collectResultSync(render(checkView(state, noCheckActions))).replace(/<!--.*?-->/gs, "");
}

describe("the golden cases", () => {
  it("are read as on the command line", () => {
    expect(goldensOf(hashes)[2]).toEqual({
      line: "qk_exchange --n 33 --scale none",
      id: "qk_exchange",
      params: { n: "33", scale: "none" },
      hash: "cc",
    });
    expect(goldensOf(Object.fromEntries(repoGoldens.map(({ line, hash }) => [line, hash])))).toEqual(
      repoGoldens,
    );
  });

  it("run one after the other, each with its parameters", async () => {
    const asked: unknown[] = [];
    const all = check(async (id, params, ...rest) => {
      asked.push([id, params]);
      return right(id, params, ...rest);
    });
    await all.run();
    expect(asked).toEqual([
      ["kernel_errors", {}], // of the operators, and so the first
      ["score_variance", {}],
      ["qk_exchange", { n: "33", scale: "none" }],
    ]);
    expect(all.status).toBe("done");
    expect(all.count("same")).toBe(3);
    expect(all.done).toBe(3);
    expect(countText({ check: all, vocabulary })).toBe(
      "All 3 results are those of the native build, to the last bit.",
    );
  });

  it("tell a result that differs from one that failed, and go on", async () => {
    const all = check(async (id, ...rest) => {
      if (id === "score_variance") return "ab";
      if (id === "qk_exchange") throw new Error("out of memory");
      return right(id, ...rest);
    });
    await all.run();
    expect(all.cases.map(({ status, got }) => [status, got])).toEqual([
      ["same", "bb"],
      ["differs", "ab"],
      ["failed", "out of memory"],
    ]);
    expect(countText({ check: all, vocabulary })).toBe("2 of 3 results are not those of the native build.");
  });

  it("end where the reader cancels, and leave the rest undecided", async () => {
    const all: Check = check(async (id, params, signal, onProgress) => {
      if (id !== "score_variance") return right(id, params, signal, onProgress);
      onProgress(0.5);
      expect(all.done).toBe(1.5);
      all.cancel();
      expect(signal.aborted).toBe(true);
      throw new Error("cancelled");
    });
    await all.run();
    expect(all.status).toBe("cancelled");
    expect(all.cases.map(({ status }) => status)).toEqual(["same", "waiting", "waiting"]);
    expect(all.done).toBe(1);
  });

  it("tell of every change", async () => {
    const seen: string[] = [];
    const all: Check = check(right, () => seen.push(all.cases.map(({ status }) => status[0]).join("")));
    await all.run();
    expect(seen).toEqual(["rww", "srw", "ssr", "sss"]);
  });
});

describe("the operators' errors", () => {
  it("stand beside their own kind of bound", () => {
    expect(operatorErrors({ scalars })).toEqual([
      { operator: "matmul", pass: "forward", error: 1.5e-7, bound: 6e-7, inLastPlaces: false },
      { operator: "exp", pass: "forward", error: 0.84, bound: 1, inLastPlaces: true },
    ]);
  });
});

describe("what is shown", () => {
  it("is a button alone before the start, in both languages", () => {
    for (const language of ["en", "zh"] as const) {
      const html = markup(undefined, language);
      expect(html).toContain(vocabularyOf(language).check["start"]);
      expect(html).not.toContain("<table");
      expect(html).not.toContain("<progress");
    }
  });

  it("is each case with both hashes, the errors, and a report afterwards", async () => {
    const all = check(async (id, ...rest) => (id === "score_variance" ? "ab" : right(id, ...rest)));
    await all.run();
    const html = markup(all);
    expect(html.match(/<tr class="check-same"/g)).toHaveLength(2);
    expect(html.match(/<tr class="check-differs"/g)).toHaveLength(1);
    expect(html).toMatch(/✗\s*different/);
    expect(html).toContain("<code>ab</code>");
    expect(html).toContain("<code>aa</code>");
    expect(html).toContain("0.840 last places");
    expect(html).toContain("Copy report");
    expect(html).toMatch(/<progress max="?3"? value="?3"?/);
    const report = reportText(all, "Mozilla/5.0 (Test)", new Date(0));
    expect(report).toContain(
      "sqrtdk: 2 of 3 results with the native build's hash (done)\nMozilla/5.0 (Test)\n",
    );
    expect(report).toContain("1970-01-01T00:00:00.000Z");
    expect(report).toContain("differs  aa ab  score_variance\n");
    expect(report).toContain("same     cc cc  qk_exchange --n 33 --scale none\n");
    expect(report).toContain("exp forward: 0.840 (1) units of the last place\n");
  });

  it("can be cancelled while it runs, and copied only afterwards", async () => {
    const all = check(right);
    all.status = "running";
    all.cases[0]!.status = "running";
    const html = markup(all);
    expect(html).toContain("Cancel");
    expect(html).not.toContain("Copy report");
    expect(html).toContain("0 of 3 the same so far");
    const ended = check(right);
    await ended.run();
    expect(markup(ended)).not.toContain("Cancel");
    expect(markup(ended)).toContain("Copy report");
  });

  it("has a word for every state", () => {
    for (const status of ["waiting", "running", "same", "differs", "failed"])
      expect(Object.hasOwn(vocabulary.check, status), status).toBe(true);
  });
});
