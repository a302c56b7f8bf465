import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import { describe, expect, test } from "vitest";
import { drawing } from "../elements/fixtures/kinds.ts";
import { noActions, stillState } from "../../../web/elements/figure_state.ts";
import { figureView } from "../../../web/elements/figure_view.ts";
import { chartMarkup, thumbnailSvg } from "../../../web/page/thumbnail.ts";
import { fixture, vocabularyOf } from "../elements/fixtures/load.ts";

const { description, result } = fixture("score_variance");
const still = stillState(description, result, vocabularyOf("en"));
const print = (view: unknown): string =>
  collectResultSync(render(view)).replace(/<!--.*?-->|<\?[^>]*>/gs, "");

describe("the picture of an experiment", () => {
  const { text, width, height } = thumbnailSvg(chartMarkup(result.figures, still, print), "zh", "a > b{}");

  test("has the first chart's size, and a view in either theme", () => {
    const first = drawing(result.figures[0]!, { id: "", vocabulary: still.vocabulary });
    expect({ width, height }).toEqual({ width: first.width, height: first.height });
    const views = [...text.matchAll(/<view id="(\w+)"( class="dark")? viewBox="0 0 (\d+) (\d+)"\/>/g)];
    expect(views.map(([, id, dark, ...box]) => [id, dark !== undefined, ...box.map(Number)])).toEqual([
      ["l0", false, width, height],
      ["d0", true, width, height],
    ]);
    expect(text).toContain('lang="zh-CN"');
  });

  test("holds what the chart holds, and styles that are XML", () => {
    const lines = (markup: string): string[] =>
      [...markup.matchAll(/<path class="line"[^>]*>/g)].map(([path]) => path);
    expect(lines(text).length).toBeGreaterThan(1);
    expect(lines(print(figureView(still, noActions))).slice(0, lines(text).length)).toEqual(lines(text));
    expect(text).toContain("<style>a &#62; b{}</style>");
    expect(text).not.toMatch(/&nbsp;|<br>|NaN|undefined/);
  });

  test("is refused where there is nothing to show", () => {
    expect(() => chartMarkup([], still, print)).toThrow(/without figures/);
  });
});
