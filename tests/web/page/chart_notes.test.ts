import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Description } from "../../../bindings/api/types.ts";
import { noteProblems, notesTemplate } from "../../../web/page/chart_notes.ts";
import { Formulas } from "../../../web/page/formulas.ts";
import { ProseReader } from "../../../web/page/markdown.ts";
import { descriptions } from "../../../web/page/words.mjs";

const reader = new ProseReader({ copy: "", copied: "" }, new Formulas());
const saturation = descriptions().find(({ id }) => id === "softmax_saturation")!;
const names = saturation.words["figures"]!;
const whole = Object.fromEntries(names.map((name) => [name, "A sentence."]));

function notesOf({ id, params }: Description, language: string): Record<string, string> {
  const path = new URL(`../../../web/content/${language}/lab/${id}.md`, import.meta.url);
  const settable = { id, params: params.map(({ name }) => name) };
  const values = { bound: () => 0.5, quoted: () => ({ value: 0.5, note: "" }) };
  return reader.read(readFileSync(path, "utf8"), settable, values).notes;
}

describe.each(descriptions())("$id", (description) => {
  test.each(["en", "zh"])("has a sentence for each of its charts (%s)", (language) => {
    expect(noteProblems(description, [], notesOf(description, language), "")).toEqual([]);
  });

  test("has sentences of at most 40 words", () => {
    for (const [name, html] of Object.entries(notesOf(description, "en"))) {
      const words = html.replace(/<math.*?<\/math>/gs, "x").replace(/<[^>]+>/g, "");
      expect(words.split(/\s+/).length, name).toBeLessThanOrEqual(40);
    }
  });
});

describe("the build", () => {
  test("is told which chart has no sentence, and where it belongs", () => {
    const rest = Object.fromEntries(Object.entries(whole).slice(1));
    const [problem, ...others] = noteProblems(saturation, [], rest, "en/lab/softmax_saturation.md");
    expect(problem).toBe(
      `en/lab/softmax_saturation.md: the chart ${names[0]} of softmax_saturation has no sentence`,
    );
    expect(others).toEqual([]);
  });

  test("is told of a chart that was drawn but not declared", () => {
    const drawn = { name: "undeclared", at: {}, kind: "lines", x: "d", y: "d", log_x: false, log_y: false };
    const problems = noteProblems(saturation, [{ ...drawn, series: [] } as never], whole, "file");
    expect(problems).toEqual(["file: the chart undeclared of softmax_saturation has no sentence"]);
  });

  test("is told of a sentence without a chart", () => {
    expect(noteProblems(saturation, [], { ...whole, other: "A sentence." }, "file")).toEqual([
      "file: softmax_saturation has no chart other",
    ]);
  });
});

test("the template names the chart of each sentence", () => {
  expect(notesTemplate({ weights: "Sums to <em>1</em>." })).toBe(
    '<template><p class="chart-note" data-chart="weights">Sums to <em>1</em>.</p></template>',
  );
});
