import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import { describe, expect, test } from "vitest";
import type { Figure } from "../../../bindings/api/types.ts";
import { drawing } from "../elements/fixtures/kinds.ts";
import { noActions, stillState } from "../../../web/elements/figure_state.ts";
import { figureView } from "../../../web/elements/figure_view.ts";
import { pictureAt, picturesSvg } from "../../../web/page/pictures.ts";
import { fixture, vocabularyOf } from "../elements/fixtures/load.ts";

const { description, result } = fixture("score_variance");
const still = stillState(description, result, vocabularyOf("en"));
const print = (view: unknown): string =>
  collectResultSync(render(view)).replace(/<!--.*?-->|<\?[^>]*>/gs, "");
const maps = (count: number): Figure[] =>
  Array.from({ length: count }, (_, i) => ({
    name: "heads",
    at: { head: String(i) },
    kind: "heatmap",
    x: "key",
    y: "query",
    z: "weight",
    log_x: false,
    log_y: false,
    series: [],
    grid: { n_rows: 2, n_cols: 2, values: [0, 0.5, 1, i] },
  }));

describe("pictures of charts", () => {
  const file = picturesSvg(result.figures, still, "en", "a > b{}", print);

  test("have a view each, in either theme, that covers nothing of another", () => {
    const views = [
      ...file.matchAll(/<view id="(\w)(\d+)"(?: class="dark")? viewBox="0 (\d+) (\d+) (\d+)"\/>/g),
    ];
    expect(views.map(([, theme, index]) => `${theme}${index}`)).toEqual(
      result.figures.flatMap((_, index) => [`l${index}`, `d${index}`]),
    );
    const light = views.filter(([, theme]) => theme === "l").map((view) => view.slice(3).map(Number));
    light.forEach(([top = 0, width, height = 0], index) => {
      const { width: wide, height: tall } = drawing(result.figures[index]!, {
        id: "",
        vocabulary: still.vocabulary,
      });
      expect([width, height]).toEqual([wide, tall]);
      expect(light[index + 1]?.[0] ?? Infinity).toBeGreaterThan(top + height);
    });
  });

  test("hold what the charts hold, and styles that are XML", () => {
    const charts = print(figureView(still, noActions));
    for (const [path] of charts.matchAll(/<path class="line"[^>]*>/g)) expect(file).toContain(path);
    expect(file).toContain("<style>a &#62; b{}</style>");
    expect(file).not.toMatch(/&nbsp;|<br>|NaN|undefined/);
  });

  test("of many maps are told that they are many", () => {
    const many = picturesSvg(maps(5), still, "en", "", print);
    expect(many.match(/<g class="charts-maps"><g class="chart">/g)).toHaveLength(5);
    expect(many).toContain('viewBox="0 0 226 ');
    expect(picturesSvg(maps(2), still, "en", "", print)).not.toContain("charts-maps");
  });

  test("stand where the charts will, as large, in words, without tables", () => {
    const view = print(figureView({ ...still, pictures: (index) => pictureAt("a.svg", index) }, noActions));
    const images = [...view.matchAll(/<img\s[^>]*>/g)].map(([image]) => image);
    expect(images).toHaveLength(result.figures.length);
    expect([...view.matchAll(/<figcaption[^>]*>\s*[^<]{20,}/g)]).toHaveLength(images.length);
    for (const [index, image] of images.entries()) {
      expect(image).toContain(`src="a.svg#l${index}"`);
      expect(image).toMatch(/width="340"\s+height="226"/);
      expect(image).toContain('alt=""'); // the caption says it
      expect(image).toContain('loading="lazy"');
    }
    expect(view).toContain('media="screen and (prefers-color-scheme: dark)" srcset="a.svg#d0"');
    expect(view).not.toMatch(/<table|<svg/);
    expect(view).toContain("figure-data");
    const text = (markup: string): string =>
      markup
        .replace(
          /<svg.*?<\/svg>|<div class="exports".*?<\/div>|<div class="tables">.*?<\/details>|(?<=<\/summary>)\s*<div class="control-bar">.*?<\/details>/gs,
          "",
        )
        .replace(/<[^>]*>|\s+/g, " ")
        .replace(/\s+/g, " ");
    expect(text(view)).toBe(text(print(figureView(still, noActions))));
  });
});
