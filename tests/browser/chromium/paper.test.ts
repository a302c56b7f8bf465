// The story on paper: how long it is, that nothing on it wants to be pressed, and that all of it is there.
import type { Page } from "puppeteer-core";
import { describe, expect, test } from "vitest";
import { pagesOf, pdfOf, withStories } from "../../../scripts/lib/print_paper.mjs";

const languages = ["en", "zh"] as const;

const printed = <T>(language: string, look: (page: Page) => Promise<T>): Promise<T> =>
  withStories(async (open) => look(await open(language)));

describe.each(languages)("the story on paper (%s)", (language) => {
  test("has 12 to 18 pages, on A4 and on Letter", async () => {
    for (const format of ["A4", "Letter"] as const) {
      const pages = await printed(language, async (page) => pagesOf(await pdfOf(page, format)));
      expect(pages, format).toBeGreaterThanOrEqual(12);
      expect(pages, format).toBeLessThanOrEqual(18);
    }
  });

  test("has no control, and nothing that is said of one", async () => {
    const seen = await printed(language, (page) =>
      page.evaluate(() =>
        [
          ...document.querySelectorAll(
            "button, input, select, textarea, summary:not(.aside > *), .screen-only",
          ),
        ]
          .filter((element) => element.checkVisibility())
          .map(({ outerHTML }) => outerHTML.slice(0, 100)),
      ),
    );
    expect(seen).toEqual([]);
  });

  test("has all titles, figures, answers, derivations and references, and numbers its figures", async () => {
    const lost = await printed(language, (page) =>
      page.evaluate(() => {
        const hidden = (selector: string): string[] =>
          [...document.querySelectorAll<HTMLElement>(selector)]
            .filter((element) => !element.checkVisibility() || element.getBoundingClientRect().height === 0)
            .map(({ outerHTML }) => outerHTML.slice(0, 100));
        const figures = [...document.querySelectorAll("[prerendered]")].filter(
          (element) => !element.checkVisibility() && !element.nextElementSibling?.matches(".print-only"),
        );
        return [
          ...hidden(".chapter-label, .chapter > h2, .guess legend, .guess-answer, .aside > summary, .byline"),
          ...hidden(".aside > :not(summary), .aside p, .references li, .story-caption:not([prerendered] *)"),
          ...figures.map(({ localName }) => localName),
        ];
      }),
    );
    expect(lost).toEqual([]);
  });

  test("answers the quiz: all six lines with their bars", async () => {
    const lines = await printed(language, (page) =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>(".bugs-lines > li")].map((line) => ({
          isSeen: line.checkVisibility(),
          bars: line.querySelectorAll("rect").length,
          told: line.querySelector(".story-told")!.textContent.length > 10,
        })),
      ),
    );
    expect(lines).toEqual(Array.from({ length: 6 }, () => ({ isSeen: true, bars: 16, told: true })));
  });

  test("cuts no figure in two", async () => {
    const torn = await printed(language, (page) =>
      page.evaluate(() =>
        [...document.querySelectorAll(".hero-root, .story-figure, .race-stage")]
          .filter((element) => element.checkVisibility() && getComputedStyle(element).breakInside !== "avoid")
          .map(({ className }) => className),
      ),
    );
    expect(torn).toEqual([]);
  });
});
