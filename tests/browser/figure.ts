// What a reader does with a figure of the page, and reads off it.
import { ready, until } from "./bench.ts";
import type { Page } from "./drivers/index.ts";

/** The start of the ids inside the figure of `experiment`. */
export const idOf = (experiment: string): string => `${experiment}-figure`;

/** The page of an experiment. */
export function lab(experiment: string, language = "en"): string {
  return `${language}/lab/${experiment}/`;
}

/** Puts `text` into a control, as typing or pasting does. */
export async function setText(page: Page, selector: string, text: string): Promise<void> {
  // On its own: in WebKit, focus() may let the element take over its markup before it returns.
  await page.evaluate((selector) => {
    const input = document.querySelector<HTMLElement>(selector)!;
    input.scrollIntoView({ block: "center" });
    input.focus();
  }, selector);
  await page.evaluate(
    (selector, text) => {
      const input = document.querySelector<HTMLInputElement>(selector)!;
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new Event("change", { bubbles: true }));
    },
    selector,
    text,
  );
}

/** Opens what is folded below the charts: data, files, links. */
export async function openApparatus(page: Page, experiment: string): Promise<void> {
  const id = `${idOf(experiment)}-apparatus`;
  await page.click(`#${id} > summary`);
  await until(
    page,
    (id) => {
      const buttons = [...document.querySelectorAll(`#${id} button`)];
      return buttons.some((button) => button.getBoundingClientRect().height > 0);
    },
    id,
  );
}

/** The 16 digits under the figure. */
export function hashOf(page: Page, experiment: string): Promise<string> {
  return page.evaluate(
    (id) => document.querySelector(`#${id} .figure-hash code`)?.textContent ?? "",
    experiment,
  );
}

/** Waits until the figure shows another result than `before`; gives its hash. */
export async function changedHash(page: Page, experiment: string, before: string): Promise<string> {
  await until(
    page,
    (id, before) => {
      const output = document.querySelector(`#${id} .figure-output`);
      const hash = output?.querySelector(".figure-hash code")?.textContent;
      return output?.getAttribute("aria-busy") === "false" && !!hash && hash !== before;
    },
    experiment,
    before,
  );
  return hashOf(page, experiment);
}

/** Waits until the figure answers. */
export function readyFigure(page: Page, experiment: string): Promise<void> {
  return ready(page, `#${experiment} :is(sqrtdk-figure, sqrtdk-race)`);
}

/** Gives a control another text, and waits for the other result; gives its hash. */
export async function change(page: Page, experiment: string, param: string, text: string): Promise<string> {
  await readyFigure(page, experiment);
  const before = await hashOf(page, experiment);
  await setText(page, `#${idOf(experiment)}-${param}`, text);
  return changedHash(page, experiment, before);
}

/** Waits until the figure shows the result with this hash and nothing is under way. */
export async function shownHash(page: Page, experiment: string, hash: string): Promise<void> {
  await until(
    page,
    (id, hash) => {
      const output = document.querySelector(`#${id} .figure-output`);
      const shown = output?.querySelector(".figure-hash code")?.textContent;
      return output?.getAttribute("aria-busy") === "false" && shown === hash;
    },
    experiment,
    hash,
  );
}

/** Every word and digit of the figure, but for what is said to screen readers for a moment. */
export function textOf(page: Page, experiment: string): Promise<string> {
  return page.evaluate((id) => {
    const figure = document.querySelector(`#${id} sqrtdk-figure`)!.cloneNode(true) as Element;
    for (const status of figure.querySelectorAll('[role="status"], .figure-said')) status.remove();
    return figure.textContent.replace(/\s+/g, " ").trim();
  }, experiment);
}

/** The messages beside the controls of the figure. */
export function alertsOf(page: Page, experiment: string): Promise<string[]> {
  return page.evaluate(
    (id) =>
      [...document.querySelectorAll(`#${id} [role="alert"]`)].map((alert) =>
        (alert.textContent ?? "").trim(),
      ),
    experiment,
  );
}

/** Drops a file of these bytes onto the element. */
export async function dropFile(page: Page, selector: string, name: string, bytes: Uint8Array): Promise<void> {
  await page.evaluate(
    (selector, name, bytes) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
      const target = document.querySelector(selector)!;
      for (const type of ["dragenter", "dragover", "drop"]) {
        target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }
    },
    selector,
    name,
    [...bytes],
  );
}

/** The bytes of a .npy file (version 1.0, little-endian float32, C order). */
export function npy(shape: readonly number[], values: readonly number[]): Uint8Array {
  const dict = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(", ")}${shape.length === 1 ? "," : ""}), }`;
  const header = `${dict}${" ".repeat(63 - ((10 + dict.length) % 64))}\n`;
  const head = Buffer.concat([Buffer.from([0x93]), Buffer.from("NUMPY"), Buffer.from([1, 0, 0, 0])]);
  head.writeUInt16LE(header.length, 8);
  return Buffer.concat([head, Buffer.from(header, "latin1"), Buffer.from(new Float32Array(values).buffer)]);
}
