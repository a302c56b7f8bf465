import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { command, list, runJson } from "./command.ts";

const usage = (words: string[], message: string | RegExp) => {
  const { status, stdout, stderr } = command(...words);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^sqrtdk: [^\n]+\n$/); // one line
  expect(stderr).toMatch(message);
  expect(status).toBe(2);
};

describe("help and lists", () => {
  test("--help names every form", () => {
    const { status, stdout, stderr } = command("--help");
    expect(status).toBe(0);
    expect(stderr).toBe("");
    for (const form of ["list [--json]", "run ID", "train", "generate", "--help | --version"])
      expect(stdout).toContain(`sqrtdk ${form}`);
  });

  test("--version is the package's", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(command("--version").stdout).toBe(`sqrtdk ${version}\n`);
  });

  test("list names every experiment in the laboratory's order", () => {
    const ids = list().map(({ id }) => id);
    const order = readFileSync(new URL("../../src/experiments/experiments.inc", import.meta.url), "utf8");
    expect(ids).toEqual([...order.matchAll(/^EXPERIMENT\((\w+),/gm)].map(([, id]) => id));
    const pages = readdirSync(new URL("../../web/content/en/lab/", import.meta.url));
    expect([...ids].sort()).toEqual(pages.map((name) => name.replace(/\.md$/, "")).sort());
    const lines = command("list").stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual(ids);
  });

  test("list --json describes every parameter", () => {
    for (const { id, question, source, params } of list()) {
      expect(question).not.toBe("");
      expect(source).not.toBe("");
      expect(new Set(params.map(({ name }) => name)).size).toBe(params.length);
      for (const param of params) {
        expect([
          "int",
          "int_list",
          "real",
          "choice",
          "scale_list",
          "seed",
          "matrix",
          "text",
          "file",
        ]).toContain(param.type);
        if (param.type === "choice") expect(param.choices.length, `${id} ${param.name}`).toBeGreaterThan(1);
        else if ("choices" in param) expect(param.type, `${id} ${param.name}`).toBe("scale_list");
        if (param.type === "int" || param.type === "real") expect(param.min).toBeLessThan(param.max);
      }
    }
  });

  test.each(list())("run $id --help lists its parameters", ({ id, params }) => {
    const { status, stdout } = command("run", id, "--help");
    expect(status).toBe(0);
    for (const { name, default: value, min, max } of params) {
      const line = stdout.split("\n").find((each) => each.startsWith(`  --${name} `)) ?? "";
      // On one line: of a text of many, how it begins.
      if (value !== "") expect(line, name).toContain(`default ${value.replaceAll("\n", " ").slice(0, 57)}`);
      else expect(line, name).toMatch(/rows|@FILE/);
      const [low, high] = /(\S+) \.\. (\S+)/.exec(line)?.slice(1).map(Number) ?? [];
      if (min !== undefined) expect([low, high], name).toEqual([min, max]);
    }
  });
});

const mayBeNull = new Set(["steps_to_90", "rms_rel_error"]); // not reached; of infinite scores alone

describe("run", () => {
  const lines = [
    "d=32 scaled max=0.491 min=0.034 | unscaled max=0.653 min=0.000",
    "d=128 scaled max=0.320 min=0.009 | unscaled max=1.000 min=0.000",
    "d=512 scaled max=0.386 min=0.003 | unscaled max=0.994 min=0.000",
  ];

  test("prints the article's lines first, then the numbers, the verdict and the hash", () => {
    const { status, stdout, stderr } = command("run", "article_snippet", "--rng", "torch", "--seed", "0");
    expect(status).toBe(0);
    expect(stderr).toBe("");
    expect(stdout.split("\n").slice(0, 3)).toEqual(lines);
    expect(stdout).toMatch(/^softmax_max +d=32 scale=none +0\.65/m);
    expect(stdout).toMatch(/\nholds: unscaled is sharper\nhash [0-9a-f]{16}\n$/);
    const unjudged = ["run", "article_snippet", "--n_keys", "1"];
    expect(command(...unjudged).stdout).toMatch(/\ncannot be judged here: equal weights\nhash /);
    expect(JSON.parse(command(...unjudged, "--json").stdout)).toMatchObject({ holds: null });
  });

  test("--name=value is --name value", () => {
    const one = command("run", "article_snippet", "--rng=torch", "--d=32,128");
    expect(one.stdout).toBe(command("run", "--d", "32,128", "article_snippet", "--rng", "torch").stdout);
    expect(one.stdout).toContain(lines[1]);
  });

  test.each(list())("$id: --json has the whole result", ({ id, params, timed }) => {
    const result = runJson(id);
    expect(Object.keys(result)).toEqual([
      ...[
        "experiment",
        "params",
        "lines",
        ...(id === "similarity_measures" ? ["printed"] : []),
        "scalars",
        "figures",
        "holds",
        "verdict",
        ...(timed ? ["timed"] : []),
        "hash",
      ],
    ]);
    expect(result.experiment).toBe(id);
    expect(result.params).toEqual(Object.fromEntries(params.map((param) => [param.name, param.default])));
    expect(result.holds).toBe(true);
    expect(result.verdict).toMatch(/^[a-z_]+$/);
    expect(result.hash).toMatch(/^[0-9a-f]{16}$/);
    for (const scalar of result.scalars) {
      if (!mayBeNull.has(scalar.name)) expect(typeof scalar.value).toBe("number");
      expect(scalar.se ?? 0).toBeGreaterThanOrEqual(0);
    }
    for (const figure of result.figures) {
      expect(["bars", "lines", "histogram", "heatmap"]).toContain(figure.kind);
      for (const series of figure.series) {
        expect(["scaled", "unscaled", "other", "reference"]).toContain(series.role);
        expect(series.x.length).toBeGreaterThan(0);
        expect(series.y.length).toBe(series.x.length);
        for (const each of [series.y_se, series.low, series.high]) {
          if (each) expect(each.length).toBe(series.x.length);
        }
      }
    }
    if (!timed) expect(runJson(id).hash).toBe(result.hash);
    if (params.some(({ name }) => name === "seed"))
      expect(runJson(id, "--seed", "1").hash).not.toBe(result.hash);
  });

  test("a preset's settings take precedence over the defaults, and what is given over both", () => {
    const { params } = runJson("training_race", "--steps", "2", "--preset", "initialization", "--seeds=4");
    expect(params).toMatchObject({ init: "normal", learning_rate: "0.001", steps: "2", seeds: "4" });
    expect(command("run", "training_race", "--help").stdout).toMatch(/--preset +headline \|/);
  });

  test("the canonical parameters give the same result", () => {
    const result = runJson(
      "softmax_saturation",
      "--d",
      " 8, 32 ",
      "--trials",
      "+200",
      "--scale",
      "1 / d,0.50",
    );
    expect(result.params).toMatchObject({ d: "8,32", trials: "200", scale: "1/d,0.5" });
    const words = Object.entries(result.params).map(([name, text]) => `--${name}=${text}`);
    expect(runJson("softmax_saturation", ...words).hash).toBe(result.hash);
  });
});

describe("one line says what is wrong and what is allowed; exit status 2", () => {
  test.each<[string[], string | RegExp]>([
    [[], /expected one of list, run/],
    [["walk"], /walk.*expected one of list, run/],
    [["list", "--yaml"], /--yaml.*--json/],
    [["schema", "--yaml"], /--yaml.*--json/],
    [["run"], /which experiment/],
    [["run", "no_such"], /no_such.*article_snippet, attention_steps, score_variance/],
    [["run", "no_such", "--help"], /article_snippet/],
    [["run", "article_snippet", "extra"], /extra/],
    [["run", "article_snippet", "--d"], /--d needs a value/],
    [["run", "article_snippet", "--d=8", "--d=9"], /twice/],
    [["run", "article_snippet", "--dim", "8"], /dim.*d, n_keys, draws, seed, rng, q, k/],
    [["run", "article_snippet", "--d", "0"], /d must be in 1 \.\. 16384, got 0/],
    [["run", "article_snippet", "--d", "1000000000"], /1 \.\. 16384/],
    [["run", "article_snippet", "--d", ""], /at least 1 value/],
    [["run", "article_snippet", "--d", "32,"], /integer/],
    [["run", "article_snippet", "--n_keys", "1e5"], /integer, got 1e5/],
    [["run", "article_snippet", "--seed", "-1"], /0 \.\. 18446744073709551615/],
    [["run", "article_snippet", "--rng", "numpy"], /philox, torch/],
    [["run", "training_race", "--preset", "fast"], /preset.*headline, dose_response/],
    [["run", "training_race", "--preset", ""], /headline, dose_response/],
    [["run", "training_race", "--preset", "dates", "--preset=dates"], /twice/],
    [["run", "article_snippet", "--preset", "fast"], /preset.*none/],
    [["run", "training_race", "--scale", "own"], /learned, cosine, number/],
    [
      ["run", "softmax_saturation", "--scale", "1/e"],
      /none, 1\/sqrt\(d\), 1\/\(2\*sqrt\(d\)\), 1\/d, number/,
    ],
    [["run", "score_variance", "--correlation", "1.5"], /-1 \.\. 1/],
    [["run", "score_variance", "--trials", "99"], /100 \.\. 1000000/],
    [["run", "article_snippet", "--q", "1,2"], /k must have shape \(n_keys, 2\)/],
    [["run", "article_snippet", "--q", "1,2", "--k", "1,2,3"], /\(n_keys, 2\), got \(1, 3\)/],
    [["run", "article_snippet", "--q", "1,two", "--k", "1,2"], /two.*row 1, column 2/],
    [["run", "article_snippet", "--d", "9".repeat(100_000)], /^.{0,300}\n$/],
    [["run", "article_snippet", "--d", "a\nb\u001b[31m"], /^[^\u001b]*$/],
  ])("%j", usage);
});
