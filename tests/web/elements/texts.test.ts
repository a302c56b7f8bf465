import { describe, expect, it } from "vitest";
import { ValueError } from "../../../bindings/api/errors.ts";
import type { Param } from "../../../bindings/api/types.ts";
import { resultCsv } from "../../../web/elements/exports.ts";
import { phrase, problemOf } from "../../../web/elements/problems.ts";
import { matrixText, readMatrixFile } from "../../../web/elements/reader_data.ts";
import { formatScales, parseScales } from "../../../web/elements/scale_list.ts";
import type { Experiments } from "../../../web/elements/setup.ts";
import { powerSteps, sliderOf } from "../../../web/elements/slider_scale.ts";
import { experimentIds, fixture, vocabularyOf } from "./fixtures/load.ts";

const en = vocabularyOf("en");
const zh = vocabularyOf("zh");

describe("errors in words", () => {
  const range = {
    code: "out_of_range",
    operator: "article_snippet",
    argument: "d",
    expected: "1 .. 16384",
    got: "0",
  } as const;

  it("name the argument, what was expected and what came, in both languages", () => {
    for (const vocabulary of [en, zh]) {
      const { argument, message } = problemOf(new ValueError(range), vocabulary);
      expect(argument).toBe("d");
      for (const part of [vocabulary.params["d"]!, "1 .. 16384", "0"]) expect(message).toContain(part);
    }
    expect(problemOf(new ValueError(range), zh).message).not.toBe(
      problemOf(new ValueError(range), en).message,
    );
  });

  it("have a sentence for every code of the library", () => {
    const codes = [
      "out_of_range",
      "not_a_number",
      "not_a_choice",
      "unknown_name",
      "empty",
      "too_many",
      "wrong_shape",
    ];
    codes.push(
      "not_finite",
      "truncated",
      "unsupported",
      "out_of_memory",
      "disposed",
      "stale_view",
      "worker_failed",
      "internal",
    );
    for (const vocabulary of [en, zh]) {
      for (const code of codes) expect(Object.hasOwn(vocabulary.errors, code), code).toBe(true);
    }
  });

  it("name what is empty", () => {
    const empty = new ValueError({ ...range, code: "not_a_number", expected: "integer", got: "" });
    expect(problemOf(empty, en).message).toBe(
      "Dimension d: only a whole number will do, not an empty value.",
    );
    expect(problemOf(empty, zh).message).toBe("维度 d：应为整数，而不是空白。");
  });

  it("shorten what came and keep its markup as text", () => {
    const got = `<script>${"9".repeat(500)}`;
    const { message } = problemOf(new ValueError({ ...range, got }), en);
    expect(message.length).toBeLessThan(160);
    expect(message).toContain("<script>");
  });

  it("translate choices by their names", () => {
    const choice = {
      ...range,
      code: "not_a_choice",
      argument: "draws",
      expected: "independent, paired",
      got: "x",
    } as const;
    expect(problemOf(new ValueError(choice), zh).message).toContain(zh.choices["paired"]);
  });

  it("pass on what is no error of the library", () => {
    expect(problemOf(new Error("boom"), en)).toEqual({ argument: "", message: "boom" });
    expect(problemOf("text", en).message).toBe("text");
  });

  it("translate phrases with their numbers", () => {
    const vocabulary = {
      ...zh,
      expected: { "{value} in row {row}, column {column}": "第 {row} 行第 {column} 列的 {value}" },
    };
    expect(phrase("NaN in row 2, column 13", vocabulary)).toBe("第 2 行第 13 列的 NaN");
    expect(phrase("(n_keys, 32)", vocabulary)).toBe("(n_keys, 32)");
  });
});

describe("sliders", () => {
  it("hit every power of two on the way from 1 to 1024", () => {
    const slider = powerSteps(1, 1024);
    for (let d = 1; d <= 1024; d *= 2) expect(slider.textAt(slider.positionOf(String(d)))).toBe(String(d));
    const values = Array.from({ length: slider.positions + 1 }, (_, i) => Number(slider.textAt(i)));
    expect([values[0], values.at(-1)]).toEqual([1, 1024]);
    expect(values.every((value, i) => i === 0 || value > values[i - 1]!)).toBe(true);
  });

  it.each(experimentIds)("of %s return to their own positions and stay in range", (id) => {
    for (const param of fixture(id).description.params) {
      const slider = sliderOf(param);
      if (!slider) continue;
      for (let position = 0; position <= slider.positions; ++position) {
        const text = slider.textAt(position);
        expect(slider.positionOf(text)).toBe(position);
        expect(Number(text)).toBeGreaterThanOrEqual(param.min!);
        expect(Number(text)).toBeLessThanOrEqual(param.max!);
      }
      expect(slider.textAt(slider.positionOf(param.default))).toBe(param.default);
    }
  });

  it("take any text", () => {
    for (const text of ["", "abc", "1e999", "-5"])
      expect(powerSteps(1, 1024).positionOf(text)).toBeGreaterThanOrEqual(0);
  });

  it("exist for bounded single numbers only", () => {
    const param = (change: Partial<Param>): Param =>
      ({ name: "x", type: "real", default: "0", ...change }) as Param;
    expect(sliderOf(param({}))).toBeUndefined();
    expect(sliderOf(param({ min: -1000, max: 1000 }))).toBeUndefined();
    expect(sliderOf(param({ type: "int_list", min: 1, max: 2 }))).toBeUndefined();
    expect(sliderOf(param({ min: -1, max: 1 }))?.textAt(0)).toBe("-1");
  });
});

describe("scale lists", () => {
  const names = ["none", "1/sqrt(d)", "1/(2*sqrt(d))", "1/d"];

  it.each(["none,1/sqrt(d)", "none,1/sqrt(d),1/(2*sqrt(d)),1/d", "0.3", "none,0.3,-2", "none, oops", ""])(
    "%j survives the check boxes",
    (text) => {
      const { named, custom } = parseScales(text, names);
      const back = formatScales({ named, custom });
      expect(back.replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    },
  );

  it("toggles one name and keeps the typed text", () => {
    const scales = parseScales("none,0.", names);
    expect(formatScales(scales, "1/d", true)).toBe("none,1/d,0.");
    expect(formatScales(scales, "none", false)).toBe("0.");
  });
});

describe("a scale that is typed", () => {
  const names = ["none", "1/sqrt(d)", "1/d"];

  it.each(["1/d", "0.3,1/d", " 1/d", "1/d ", "none", "1/d,"])("%j stays in its field", (custom) => {
    const { named } = parseScales("none,1/sqrt(d)", names);
    const after = parseScales(formatScales({ named, custom }), names);
    expect(after).toEqual({ named, custom });
  });

  it("is a check box where it comes from a link", () => {
    for (const text of ["none,1/d", "none, 1/d", " none,1/d"]) {
      const { named, custom } = parseScales(text, names);
      expect(named.filter(({ chosen }) => chosen).map(({ name }) => name)).toEqual(["none", "1/d"]);
      expect(custom).toBe("");
    }
  });
});

describe("the reader's files", () => {
  const kernels = {
    formats: {
      readNpy: () => ({ shape: [1, 2, 3], data: Float32Array.of(0.1, 1 / 3, -2, 1e-8, 3, 16777216) }),
    },
  } as unknown as Experiments;
  const npy = new Blob([Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0)]);

  it("become text that reads back as the same numbers", async () => {
    const text = await readMatrixFile(npy, "k", kernels);
    expect(text.split("\n")).toHaveLength(2);
    expect(text.split(/[\n,]/).map((number) => Math.fround(Number(number)))).toEqual([
      ...kernels.formats.readNpy(new Uint8Array()).data,
    ]);
    expect(await readMatrixFile(new Blob(["\uFEFF1,2\r\n3,4\r\n"]), "k", kernels)).toBe("1,2\n3,4");
    expect(matrixText(Float32Array.of(0.1), 1)).toBe("0.1");
  });

  it("are refused with the argument's name", async () => {
    const deep = {
      formats: { readNpy: () => ({ shape: [2, 2, 3], data: new Float32Array(12) }) },
    } as unknown as Experiments;
    await expect(readMatrixFile(npy, "k", deep)).rejects.toMatchObject({
      code: "wrong_shape",
      argument: "k",
    });
    const empty = {
      formats: { readNpy: () => ({ shape: [0, 3], data: new Float32Array() }) },
    } as unknown as Experiments;
    for (const nothing of [new Blob([]), new Blob(["\uFEFF \r\n"])]) {
      await expect(readMatrixFile(nothing, "k", kernels)).rejects.toMatchObject({
        code: "empty",
        argument: "k",
      });
    }
    await expect(readMatrixFile(npy, "k", empty)).rejects.toMatchObject({ code: "empty" });
    const picture = new Blob([Uint8Array.of(0x89, 0x50, 0, 0)]);
    await expect(readMatrixFile(picture, "q", kernels)).rejects.toMatchObject({
      code: "unsupported",
      argument: "q",
    });
    const broken = {
      formats: {
        readNpy: () => {
          throw new ValueError({
            code: "truncated",
            operator: "readNpy",
            argument: "bytes",
            expected: "80",
            got: "8",
          });
        },
      },
    } as unknown as Experiments;
    await expect(readMatrixFile(npy, "q", broken)).rejects.toMatchObject({
      code: "truncated",
      argument: "q",
      got: "8",
    });
  });
});

describe("CSV", () => {
  it.each(experimentIds)("of %s holds every number with all its digits", (id) => {
    const { result } = fixture(id);
    const [head = "", ...rows] = resultCsv(result).trimEnd().split("\n");
    const points = result.figures.flatMap((figure) => figure.series.map((series) => series.x.length));
    expect(rows).toHaveLength(points.reduce((sum, n) => sum + n, 0) + result.scalars.length);
    const width = head.split(",").length;
    for (const row of rows) expect(row.replace(/"[^"]*"/g, "").split(",")).toHaveLength(width);
    const value = result.scalars[0]?.value;
    expect(rows.some((row) => row.split(",").includes(String(value)))).toBe(true);
  });
});
