// The module for notebooks in a host like Jupyter's: imported from a blob, with a model that any number of views share.
import { expect, test } from "vitest";
import { until, useBench } from "./bench.ts";
import type { Page } from "./drivers/index.ts";

const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A notebook</title></head>
  <body><div id="a"></div><div id="b"></div></body></html>`;

// As the hosts have it: backbone's events, and a kernel that is told of what was saved.
const hostScript = `
  globalThis.makeModel = (traits) => {
    const listeners = new Map();
    const saved = [];
    let unsaved = {};
    return {
      traits: { params: {}, lang: "", controls: "all", charts: "", result: null, ...traits },
      saved,
      get(name) { return this.traits[name]; },
      set(name, value) {
        if (JSON.stringify(this.traits[name]) === JSON.stringify(value)) return;
        this.traits[name] = value;
        unsaved[name] = value;
        for (const callback of listeners.get("change:" + name) ?? []) callback();
      },
      save_changes() { saved.push(unsaved); unsaved = {}; },
      on(event, callback) { listeners.set(event, [...(listeners.get(event) ?? []), callback]); },
      off(event, callback) { listeners.set(event, (listeners.get(event) ?? []).filter((each) => each !== callback)); },
      get count() { return [...listeners.values()].flat().length; },
    };
  };
  globalThis.importWidget = async () => {
    const text = await (await fetch("/embed/sqrtdk.anywidget.js")).text();
    const blob = new Blob([text], { type: "text/javascript" });
    return (await import(URL.createObjectURL(blob))).default;
  };
`;

interface Model {
  traits: Record<string, unknown>;
  saved: Record<string, unknown>[];
  set(name: string, value: unknown): void;
  save_changes(): void;
  readonly count: number;
}
interface Host {
  makeModel(traits: Record<string, unknown>): Model;
  importWidget(): Promise<{ render(given: { model: Model; el: Element }): () => void }>;
  model: Model;
  ends: (() => void)[];
}

const bench = useBench("/", { "/notebook.html": html });

/** A notebook with a view of one model in each of these places. */
async function notebook(traits: Record<string, unknown>, places: readonly string[]): Promise<Page> {
  const page = await bench.blank();
  await page.goto(`${bench.site.url}notebook.html`);
  await page.run(hostScript);
  await page.evaluate(
    async (traits, places) => {
      const host = globalThis as unknown as Host;
      const widget = await host.importWidget();
      host.model = host.makeModel(traits);
      host.ends = places.map((id) => widget.render({ model: host.model, el: document.getElementById(id)! }));
    },
    traits,
    places,
  );
  return page;
}

const resultOf = (): string =>
  ((globalThis as unknown as Host).model.traits["result"] as { hash?: string } | null)?.hash ?? "";

async function hasResult(page: Page, before = ""): Promise<string> {
  await until(
    page,
    (before) => {
      const result = (globalThis as unknown as Host).model.traits["result"] as { hash?: string } | null;
      return !!result?.hash && result.hash !== before;
    },
    before,
  );
  return page.evaluate(resultOf);
}

test("a figure takes its parameters from the notebook and gives its result back", async () => {
  const page = await notebook({ experiment: "score_variance", params: { d: "32,128" }, lang: "zh" }, ["a"]);
  const first = await hasResult(page);
  const seen = await page.evaluate(() => {
    const { model } = globalThis as unknown as Host;
    const figure = document.querySelector("#a sqrtdk-figure")!;
    const result = model.traits["result"] as { experiment: string; params: { d: string } };
    return [figure.getAttribute("lang"), result.experiment, result.params.d, figure.shadowRoot!.textContent];
  });
  expect(seen.slice(0, 3)).toEqual(["zh", "score_variance", "32,128"]);
  expect(seen[3]).toMatch(/\p{Script=Han}/u);

  await page.evaluate(() => (globalThis as unknown as Host).model.set("params", { d: "16" }));
  const second = await hasResult(page, first);
  expect(second).not.toBe(first);

  // What the reader sets comes back, without what is as it was.
  await page.evaluate(() => {
    const seed = document
      .querySelector("#a sqrtdk-figure")!
      .shadowRoot!.querySelector<HTMLInputElement>('[name="seed"]')!;
    seed.value = "7";
    seed.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await hasResult(page, second);
  const told = await page.evaluate(() => {
    const { model } = globalThis as unknown as Host;
    return { params: model.traits["params"], saved: model.saved.flatMap((each) => Object.keys(each)) };
  });
  expect(told.params).toEqual({ d: "16", seed: "7" });
  expect(new Set(told.saved)).toEqual(new Set(["params", "result"]));
  expect(await page.problems()).toEqual([]);
});

test("two views of one model show the same, and end for themselves", async () => {
  const page = await notebook({ experiment: "score_variance" }, ["a", "b"]);
  const first = await hasResult(page);
  await page.evaluate(() => {
    const seed = document
      .querySelector("#a sqrtdk-figure")!
      .shadowRoot!.querySelector<HTMLInputElement>('[name="seed"]')!;
    seed.value = "9";
    seed.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const second = await hasResult(page, first);
  await until(
    page,
    (hash) =>
      [...document.querySelectorAll("sqrtdk-figure")].every((figure) =>
        figure.shadowRoot!.textContent.includes(hash),
      ),
    second,
  );
  const saves = await page.evaluate(() => (globalThis as unknown as Host).model.saved.length);
  expect(saves).toBeLessThan(8); // they do not answer each other for ever

  const left = await page.evaluate(() => {
    const host = globalThis as unknown as Host;
    const count = host.model.count;
    host.ends[0]!();
    const one = [host.model.count, document.querySelectorAll("#a *").length];
    host.ends[1]!();
    return [count / 2, ...one, host.model.count, document.querySelectorAll("sqrtdk-figure").length];
  });
  expect(left).toEqual([left[0], left[0], 0, 0, 0]);
});

test("every experiment, the race and the hero come from the one file", async () => {
  const asked = bench.site.requests.length;
  const page = await notebook({ experiment: "multi_head" }, ["a"]);
  await hasResult(page);
  for (const experiment of ["training_race", "hero", "attention_steps"]) {
    await page.evaluate(
      (experiment) => (globalThis as unknown as Host).model.set("experiment", experiment),
      experiment,
    );
    await until(
      page,
      (tag) => {
        const element = document.querySelector(`#a ${tag}`);
        return !!element?.shadowRoot && element.shadowRoot.textContent.length > 200;
      },
      experiment === "hero"
        ? "sqrtdk-hero"
        : experiment === "training_race"
          ? "sqrtdk-race"
          : "sqrtdk-figure",
    );
  }
  expect(await page.problems()).toEqual([]);
  const paths = bench.site.requests.slice(asked).filter((path) => path.startsWith("/embed/"));
  expect(paths).toEqual(["/embed/sqrtdk.anywidget.js"]);
});

test("controls and an unknown experiment are as the element has them", async () => {
  const page = await notebook({ experiment: "score_variance", controls: "none" }, ["a"]);
  await hasResult(page);
  const controls = (): number =>
    document.querySelector("#a sqrtdk-figure")!.shadowRoot!.querySelectorAll(".control").length;
  expect(await page.evaluate(controls)).toBe(0);
  await page.evaluate(() => (globalThis as unknown as Host).model.set("controls", "all"));
  await until(
    page,
    () => document.querySelector("#a sqrtdk-figure")!.shadowRoot!.querySelectorAll(".control").length > 0,
  );
  await page.evaluate(() => (globalThis as unknown as Host).model.set("experiment", "nonsense"));
  await until(page, () =>
    /nonsense/.test(document.querySelector("#a sqrtdk-figure")?.shadowRoot?.textContent ?? ""),
  );
});
