// The controls for the reader's words and files.
import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import { describe, expect, it } from "vitest";
import type { Param } from "../../../bindings/api/types.ts";
import { formatBytes } from "../../../web/charts/format.ts";
import { noActions, stillState, type FigureState } from "../../../web/elements/figure_state.ts";
import { figureView } from "../../../web/elements/figure_view.ts";
import { moduleOf } from "../../../web/elements/modules.ts";
import { problemOf } from "../../../web/elements/problems.ts";
import { readFile } from "../../../web/elements/reader_data.ts";
import { fixture, vocabularyOf } from "./fixtures/load.ts";

const en = vocabularyOf("en");
const words: Param = { name: "text", type: "text", default: "The cat", max_count: 80 };
const file: Param = { name: "checkpoint", type: "file", default: "", max_count: 1000, accept: ".bin" };

function draw(change: Partial<FigureState> = {}): string {
  const { description, result } = fixture("article_snippet");
  const state = stillState({ ...description, params: [words, file] }, result, en);
  return collectResultSync(render(figureView({ ...state, ...change }, noActions))).replace(
    /<!--.*?-->/gs,
    "",
  );
}

describe("words", () => {
  it("have a labelled field that ends where they may", () => {
    const [field = ""] = /<input[^>]*name="text"[^>]*>/.exec(draw()) ?? [];
    expect(field).toContain('type="text"');
    expect(field).toContain('maxlength="80"');
    expect(field).toContain('value="The cat"');
    expect(draw()).toMatch(/<label for="article_snippet-figure-text"/);
  });
});

describe("one scale", () => {
  it("is chosen in place of another, in a group of its own on the page", () => {
    const { description, result } = fixture("article_snippet");
    const draws = (max_count: number | undefined): string => {
      const scale: Param = {
        name: "scale",
        type: "scale_list",
        default: "1/sqrt(d)",
        choices: ["none", "1/sqrt(d)", "1/d", "learned"],
        ...(max_count && { max_count }),
      };
      const state = stillState({ ...description, params: [scale] }, result, en);
      return collectResultSync(render(figureView(state, noActions))).replace(/<!--.*?-->/gs, "");
    };
    const single = draws(undefined);
    expect(single.match(/type="radio"/g)).toHaveLength(4);
    expect(single.match(/name="article_snippet-figure-scale-choice"/g)).toHaveLength(4);
    expect(single).toMatch(/value="1\/sqrt\(d\)"[^>]*checked/);
    expect(draws(4)).not.toContain('type="radio"');
    expect(draws(4)).toContain('name="scale-choice"');
  });
});

describe("a file", () => {
  it("has a button that says what can be read", () => {
    const markup = draw();
    expect(markup).toMatch(/<input\s+type="file"[^>]*id="article_snippet-figure-checkpoint"[^>]*>/);
    expect(markup).toContain("safetensors");
    expect(markup).not.toContain("checkpoint-remove");
  });

  it("shows its name, size and a button that removes it", () => {
    const texts = { text: "", checkpoint: "AAAA" };
    const markup = draw({ texts, files: { checkpoint: { name: "a<b>.bin", size: 12345 } } });
    expect(markup).toContain("a&lt;b&gt;.bin (12.3 kB)");
    expect(markup).toContain('id="article_snippet-figure-checkpoint-remove"');
    expect(draw({ texts })).toContain("(3 B)");
  });

  it("has a size in words", () => {
    expect([0, 999, 1000, 1_234_567, 999_999].map(formatBytes)).toEqual([
      "0 B",
      "999 B",
      "1.0 kB",
      "1.2 MB",
      "1.0 MB",
    ]);
  });

  it("too large or empty is refused before it is read", async () => {
    const large = await readFile(new Blob([new Uint8Array(1001)]), "checkpoint", 1000).catch(
      (error: unknown) => error,
    );
    expect(problemOf(large, en)).toMatchObject({ argument: "checkpoint" });
    expect(problemOf(large, en).message).toMatch(/1000 bytes.*1001 bytes/);
    await expect(readFile(new Blob([]), "checkpoint")).rejects.toMatchObject({ code: "empty" });
  });
});

const modules = { score_variance: "first", training_race: "experiments" } as const;

describe("the modules", () => {
  it("hold every experiment", () => {
    expect(moduleOf("score_variance", modules)).toBe("first");
    expect(moduleOf("training_race", modules)).toBe("experiments");
  });

  it("know what is not there", () => {
    expect(() => moduleOf("constructor", modules)).toThrow();
    expect(() => moduleOf("no_such", modules)).toThrow(
      expect.objectContaining({
        code: "unknown_name",
        got: "no_such",
        expected: "score_variance, training_race",
      }),
    );
  });
});

describe("settings without an effect", () => {
  it("are not shown", () => {
    const { description, result } = fixture("article_snippet");
    const mode: Param = {
      name: "mode",
      type: "choice",
      default: "sentence",
      choices: ["sentence", "search"],
    };
    const params: Param[] = [
      mode,
      { ...words, shown_when: [{ param: "mode", is_not: ["search"] }] },
      { ...words, name: "query", shown_when: [{ param: "mode", is: ["search"] }] },
    ];
    const markup = (text: string): string => {
      const state = stillState({ ...description, params }, result, en);
      const view = figureView({ ...state, texts: { ...state.texts, mode: text } }, noActions);
      return collectResultSync(render(view)).replace(/<!--.*?-->/gs, "");
    };
    expect(markup("sentence")).toContain('name="text"');
    expect(markup("sentence")).not.toContain('name="query"');
    expect(markup("search")).toContain('name="query"');
    expect(markup("search")).not.toContain('name="text"');
  });
});
