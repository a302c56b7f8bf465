// What a reader does on the front page: guesses, moves a chapter's figure, follows the contents, takes a link along.
import { expect, test } from "vitest";
import { ready, until, useBench } from "./bench.ts";
import { engineName, type Page } from "./drivers/index.ts";

const bench = useBench("/", {
  "/phone.html": `<!doctype html><html lang="en"><head><title>phone</title></head>
    <body><iframe width="360" height="740"></iframe></body></html>`,
});

/** Waits until guesses can be made. */
async function openStory(hash = ""): Promise<Page> {
  const page = await bench.open(`en/${hash}`);
  await until(page, () => document.querySelector(".guess output")?.textContent !== "");
  return page;
}

function choose(page: Page, guess: string, value: string): Promise<void> {
  return page.evaluate(
    (guess, value) => {
      document
        .querySelector<HTMLElement>(`#guess-${guess} input[value="${value}"]`)!
        .dispatchEvent(new MouseEvent("click", { bubbles: true }));
    },
    guess,
    value,
  );
}

test("where copying is refused, the address bar has the link", async () => {
  const page = await openStory();
  await choose(page, "power", "one");
  await page.evaluate(() => {
    const refuse = (): Promise<void> => Promise.reject(new DOMException("refused", "NotAllowedError"));
    Object.defineProperty(navigator, "clipboard", { value: { writeText: refuse } });
  });
  await page.evaluate(() => document.querySelector<HTMLElement>(".guesses button")!.click());
  await until(page, () => location.hash.includes("guess.power=one"));
  expect(await page.problems()).toEqual([]);
});

const told = (page: Page, guess: string): Promise<string> =>
  page.evaluate((guess) => document.querySelector(`#guess-${guess} .guess-yours`)!.textContent, guess);

test("a guess is kept on the device, said beside the answer, and carried by a link", async () => {
  const page = await openStory();
  await choose(page, "power", "one");
  expect(await told(page, "power")).toContain("divide by all of it");
  await page.goto("about:blank");
  await page.goto(`${bench.site.url}en/`);
  await until(page, () => document.querySelector("#guess-power .guess-yours:not([hidden])") !== null);
  expect(await told(page, "power")).toContain("divide by all of it");
  const row = (page: Page): Promise<string> =>
    page.evaluate(() => document.querySelector('.guesses [data-guess="power"]')!.textContent);
  expect(await row(page)).toContain("divide by all of it");

  const other = await openStory("#guess&guess.power=small");
  expect(await row(other)).toContain("a little goes a long way");
  expect(await page.problems()).toEqual([]);
});

test("a chapter's figure follows the hand, and its settings are in the address", async () => {
  const page = await openStory();
  await ready(page, "story-root");
  await page.evaluate(() => {
    const slider = document.querySelector<HTMLInputElement>("#root-power")!;
    slider.value = "1";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await until(page, () => document.querySelector("#root-caption")!.textContent.includes("power 1"));
  await until(page, () => location.hash.includes("root.power=1"));
  expect(await page.problems()).toEqual([]);
});

test("the first press on a figure counts, though its kernels are loaded only then", async () => {
  const page = await openStory();
  const caption = (page: Page): Promise<string> =>
    page.evaluate(() => document.querySelector("#suspects-caption")!.textContent);
  expect(await caption(page)).toContain("Ticket 40");
  await page.evaluate(() => {
    document.querySelector("story-suspects")!.scrollIntoView({ block: "center" });
  });
  await until(page, () => customElements.get("story-suspects") !== undefined);
  await page.evaluate(
    () =>
      void requestAnimationFrame(() => {
        document.querySelector<HTMLElement>("story-suspects button")!.click();
      }),
  );
  await until(page, () => !document.querySelector("#suspects-caption")!.textContent.includes("Ticket 40"));
  expect(await page.problems()).toEqual([]);
});

test("a field is there once its figure comes near, before anything is computed", async () => {
  const page = await openStory();
  const field = 'story-overflow input[name="high"]';
  expect(await page.evaluate((field) => document.querySelector(field) === null, field)).toBe(true);
  const atHome = await page.evaluate(async (field) => {
    const figure = document.querySelector("story-overflow") as Element & { result?: object };
    figure.scrollIntoView({ block: "center" });
    await customElements.whenDefined(figure.localName); // and not a turn later: what it asks for is then on its way
    const texts = figure.querySelectorAll(".field-text").length;
    return { field: document.querySelector(field) !== null, texts, computed: figure.result !== undefined };
  }, field);
  expect(atHome).toEqual({ field: true, texts: 0, computed: false });
});

test("what is printed and what is computed are the same", async () => {
  const page = await openStory();
  const names = await page.evaluate(() =>
    [...document.querySelectorAll("[prerendered]")]
      .map(({ localName }) => localName)
      .filter((name) => name.startsWith("story-")),
  );
  expect(names.length).toBeGreaterThan(3);
  const forText = 'input:not([type="radio"], [type="range"]), textarea, select'; // which a browser may offer to fill in
  expect(await page.evaluate((fields) => document.querySelectorAll(fields).length, forText)).toBe(0);
  for (const name of names) {
    const text = (page: Page): Promise<string> =>
      page.evaluate((name) => {
        const figure = document.querySelector(name)!.cloneNode(true) as Element;
        for (const forField of figure.querySelectorAll(".field-text")) forField.remove();
        return figure.textContent.replaceAll(/\s+/g, " ").trim();
      }, name);
    const height = (page: Page): Promise<number> =>
      page.evaluate((name) => document.querySelector(name)!.getBoundingClientRect().height, name);
    const [before, tall] = [await text(page), await height(page)];
    await ready(page, name);
    expect(await text(page), name).toBe(before);
    expect(Math.abs((await height(page)) - tall), name).toBeLessThan(1);
  }
  expect(await page.problems()).toEqual([]);
});

test("the contents lead to every chapter, and the line follows the reading", async () => {
  const page = await openStory();
  const lost = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLAnchorElement>(".contents a, .leads-on a")]
      .map(({ hash }) => hash)
      .filter((hash) => !document.querySelector(`section${hash} h2`)),
  );
  expect(lost).toEqual([]);
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await until(
    page,
    () => Number(document.querySelector<HTMLElement>(".reading")!.style.getPropertyValue("--read")) > 0.95,
  );
});

// WebKit's window is never so narrow.
test.skipIf(engineName === "webkit").each(["en", "zh"])(
  "of a phone, the hero fills one screen of /%s/, the story 90, and the race comes before the 45th",
  async (language) => {
    const height = 740;
    const page = await bench.open(`${language}/`, { width: 360, height });
    await until(page, () => !document.documentElement.classList.contains("rolled-up"));
    const places = await page.evaluate(() => {
      const box = (selector: string): DOMRect =>
        [...document.querySelectorAll(selector)].at(-1)!.getBoundingClientRect();
      return {
        hero: box(".hero-row").bottom + scrollY,
        race: box("sqrtdk-race").top + scrollY,
        whole: document.documentElement.scrollHeight,
      };
    });
    console.log(`screens: the race at ${places.race / height}, ${places.whole / height} in all`);
    expect(places.hero).toBeLessThanOrEqual(height);
    expect(places.race).toBeGreaterThan(height); // it was found
    expect(places.race).toBeLessThan(44 * height);
    expect(places.whole).toBeLessThanOrEqual(90 * height);
  },
);

test.skipIf(engineName === "webkit")(
  "what is out of sight is laid out from the first touch on, and nothing moves",
  async () => {
    const page = await bench.blank();
    await page.goto(`${bench.site.url}phone.html`);
    const { before, after, places } = await page.evaluate(async () => {
      const frame = document.querySelector("iframe")!;
      await new Promise((resolve) => {
        frame.addEventListener("load", resolve, { once: true });
        frame.src = "en/";
      });
      const { contentWindow: phone, contentDocument: story } = frame as {
        contentWindow: Window;
        contentDocument: Document;
      };
      const root = story.documentElement;
      const before = root.scrollHeight;
      phone.scrollTo(0, 6000);
      const part = story.elementFromPoint(180, 370)!;
      const places: number[] = [];
      for (let drawn = 0; drawn < 60 && root.matches(".rolled-up"); ++drawn) {
        await new Promise((resolve) => phone.requestAnimationFrame(resolve));
        if (drawn > 1) places.push(part.getBoundingClientRect().top);
      }
      return { before, after: root.scrollHeight, places };
    });
    expect(places.length).toBeGreaterThan(5); // one piece a frame
    expect(Math.max(...places) - Math.min(...places)).toBeLessThanOrEqual(1);
    expect(after).toBeGreaterThan(1.5 * before);
    await page.goto("about:blank");
    await page.goto(`${bench.site.url}en/#race`);
    expect(await page.evaluate(() => document.querySelector(".rolled-up"))).toBeNull(); // further down at once
    const top = (): number => document.querySelector("#race")!.getBoundingClientRect().top;
    expect(Math.abs(await page.evaluate(top))).toBeLessThan(100);
  },
);

test.each(["en", "zh"])(
  "on a desktop, each chapter of /%s/ is one column, and no side note meets another",
  async (language) => {
    const page = await bench.open(`${language}/`);
    const found = await page.evaluate(() => {
      const chapters = [...document.querySelectorAll(".chapter")];
      const start = (element: Element): number => Math.round(element.getBoundingClientRect().left);
      const beside = chapters.flatMap((chapter) =>
        [...chapter.children]
          .filter((part) => part.getClientRects().length > 0 && !part.matches(".chapter-label, sqrtdk-race"))
          .map((part) => start(part) - start(chapter.querySelector(".text")!)),
      );
      // What takes the whole width may not be beside a note.
      const parts = [
        ...document.querySelectorAll(".chapter .note, .chapter > :is(sqrtdk-race, .guesses), .references"),
      ];
      const edges = parts.map((part) => part.getBoundingClientRect());
      const meetings = edges.slice(1).filter(({ top }, index) => top < edges[index]!.bottom);
      return {
        chapters: chapters.length,
        offsets: [...new Set(beside)],
        notes: parts.length,
        meetings: meetings.length,
      };
    });
    expect(found).toMatchObject({ chapters: 16, offsets: [0], meetings: 0 });
    expect(found.notes).toBeGreaterThan(16);
  },
);
