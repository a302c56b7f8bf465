// embed/<id>.html in a frame of somebody else's page: as high as its figure, in the page's language and theme.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import type { Page } from "./drivers/index.ts";

const host = (
  query: string,
  width: number,
): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
  <title>Somebody else's page</title><script src="/listen.js"></script></head>
  <body><iframe title="A figure" src="/embed/score_variance.html${query}" width="${width}" height="300"></iframe></body></html>`;

// As the documentation has it.
const listen = `
  globalThis.told = [];
  addEventListener("message", ({ data, source }) => {
    if (data?.type !== "sqrtdk:height") return;
    told.push(data);
    for (const frame of document.querySelectorAll("iframe")) if (frame.contentWindow === source) frame.height = data.height;
  });
`;

const bench = useBench("/", {
  "/listen.js": listen,
  "/zh.html": host("?lang=zh&amp;theme=dark&amp;d=32,128&amp;controls=none", 280),
  "/en.html": host("?onclick=alert(1)&amp;style=color:red&amp;experiment=multi_head&amp;result=x", 700),
});

/** In the frame: whether its figure shows a result. */
function computed(page: Page): Promise<void> {
  return until(page, () => {
    const inside = document.querySelector("iframe")!.contentDocument;
    return /[0-9a-f]{16}/.test(inside?.querySelector("sqrtdk-figure")?.shadowRoot?.textContent ?? "");
  });
}

const fits = (): boolean => {
  const frame = document.querySelector("iframe")!;
  const root = frame.contentDocument!.documentElement;
  return (
    root.scrollHeight <= frame.clientHeight &&
    root.scrollWidth <= frame.clientWidth &&
    frame.clientHeight > 300
  );
};

test("a frame is as high as its figure, in Chinese and in the dark, 280 pixels wide", async () => {
  const page = await bench.blank();
  await page.goto(`${bench.site.url}zh.html`);
  await computed(page);
  await until(page, fits);
  const seen = await page.evaluate(() => {
    const inside = document.querySelector("iframe")!.contentDocument!;
    const figure = inside.querySelector("sqrtdk-figure")!;
    return {
      lang: inside.documentElement.lang,
      title: inside.title,
      ground: getComputedStyle(inside.body).backgroundColor,
      attributes: figure.getAttributeNames().sort(),
      text: figure.shadowRoot!.textContent,
      told: (globalThis as unknown as { told: { experiment: string; height: number }[] }).told.at(-1)!,
    };
  });
  expect(seen.lang).toBe("zh-CN");
  expect(seen.title).toMatch(/\p{Script=Han}/u);
  expect(seen.text).toMatch(/\p{Script=Han}/u);
  expect(seen.ground).toBe("rgb(22, 22, 20)");
  expect(seen.attributes).toEqual(["controls", "d", "experiment", "lang"]);
  expect(seen.told).toMatchObject({ type: "sqrtdk:height", experiment: "score_variance" });
  expect(await page.problems()).toEqual([]);
});

test("a frame's query sets nothing that runs, styles or is another figure", async () => {
  const page = await bench.blank();
  await page.goto(`${bench.site.url}en.html`);
  await computed(page);
  const names = (): string[] =>
    document.querySelector("iframe")!.contentDocument!.querySelector("sqrtdk-figure")!.getAttributeNames();
  expect(await page.evaluate(names)).toEqual(["experiment"]);
  const id = (): string | null =>
    document
      .querySelector("iframe")!
      .contentDocument!.querySelector("sqrtdk-figure")!
      .getAttribute("experiment");
  expect(await page.evaluate(id)).toBe("score_variance");
});

test.each(["hero", "training_race", "attention_steps", "similarity_measures", "article_snippet"])(
  "%s does not scroll sideways, 280 pixels wide",
  async (id) => {
    const page = await bench.blank({ width: 700 });
    await page.goto(`${bench.site.url}en.html`);
    await page.evaluate((id) => {
      const frame = document.querySelector("iframe")!;
      frame.width = "280";
      frame.src = `/embed/${id}.html`;
    }, id);
    await until(
      page,
      (id) => {
        const inside = document.querySelector("iframe")!.contentDocument;
        const element = inside?.querySelector("sqrtdk-hero, sqrtdk-race, sqrtdk-figure");
        const text = element?.shadowRoot?.textContent ?? "";
        const isThere = inside?.location.pathname === `/embed/${id}.html`;
        return isThere && text.length > 100 && !element!.shadowRoot!.querySelector('[aria-busy="true"]');
      },
      id,
    );
    await until(page, () => {
      const frame = document.querySelector("iframe")!;
      const root = frame.contentDocument!.documentElement;
      return root.scrollWidth <= frame.clientWidth && root.scrollHeight <= frame.clientHeight;
    });
    expect(await page.problems()).toEqual([]);
  },
);
