import type { Page } from "puppeteer-core";

/**
 * Serves the site with the fonts, starts Chromium, and ends both after `work`; `open` gives a language's page as it is
 * printed, its scripts off.
 */
export function withStories<T>(work: (open: (language: string) => Promise<Page>) => Promise<T>): Promise<T>;
export function pdfOf(page: Page, format: "A4" | "Letter"): Promise<Buffer>;
/** Pages of a PDF that Chromium has written. */
export function pagesOf(pdf: Buffer): number;
