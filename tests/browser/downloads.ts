// Files that the page hands to the reader, taken instead of the disk; and text for the clipboard.
import { until } from "./bench.ts";
import type { Page } from "./drivers/index.ts";

declare global {
  var saved: { name: string; text: string }[];
  var copied: string | undefined;
}

/** From now on the page's downloads are taken: `next` clicks and gives the file, a byte for each character. */
export async function takeDownloads(page: Page): Promise<(button: string) => Promise<(typeof saved)[0]>> {
  await page.evaluate(() => {
    globalThis.saved = [];
    let blob: Blob | undefined;
    URL.createObjectURL = (object) => {
      blob = object as Blob;
      return "blob:taken";
    };
    HTMLAnchorElement.prototype.click = function () {
      const name = this.download;
      void blob?.arrayBuffer().then((bytes) => {
        const text = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("");
        saved.push({ name, text });
      });
    };
  });
  return async (button) => {
    const before = await page.evaluate(() => saved.length);
    await page.click(button);
    await until(page, (before) => saved.length > before, before);
    return page.evaluate((i) => saved[i]!, before);
  };
}

/** Clicks, and gives what the page then wrote to the clipboard. */
export async function copiedBy(page: Page, button: string): Promise<string> {
  await page.evaluate(() => {
    globalThis.copied = undefined;
    navigator.clipboard.writeText = (text) => {
      globalThis.copied = text;
      return Promise.resolve();
    };
  });
  await page.click(button);
  await until(page, () => globalThis.copied !== undefined);
  return (await page.evaluate(() => globalThis.copied))!;
}
