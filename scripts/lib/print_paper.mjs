// Prints the built site's story into build/paper with headless Chromium: as it was prerendered, no script runs. The fonts of
// Latin letters are packages, so that a paper does not depend on the machine; Chinese ones are the machine's.
// usage: node scripts/lib/print_paper.mjs [--letter]
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import puppeteer from "puppeteer-core";
import { chromiumFlags, findBrowser } from "./browsers.mjs";
import { folder, isPresent, paperName, stampFile, storyStamp } from "./papers.mjs";
import { hasChineseFonts } from "./pictures.mjs";
import { serve } from "./serve.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const site = join(root, "build/site");
const languages = ["en", "zh"];

const families = [
  ["Source Serif 4", "source-serif-4", "SourceSerif4", ["400Regular", "600SemiBold"]],
  ["Source Sans 3", "source-sans-3", "SourceSans3", ["400Regular", "600SemiBold"]],
];
const fonts = {
  type: "text/css; charset=utf-8",
  body: [
    ...families.flatMap(([family, name, file, styles]) =>
      styles.flatMap((style) =>
        ["", "_Italic"].map((slant) => {
          const address = `/fonts/${name}/${style}${slant}/${file}_${style}${slant}.ttf`;
          const look = `font-weight:${parseInt(style)};font-style:${slant ? "italic" : "normal"}`;
          return `@font-face{font-family:"${family}";${look};src:url("${address}")}`;
        }),
      ),
    ),
    `:root{--font-body:"Source Serif 4",serif;--font-ui:"Source Sans 3",sans-serif}`,
    `:root:lang(zh){--font-body:"Source Serif 4","Noto Serif CJK SC",serif;--font-ui:"Source Sans 3","Noto Sans CJK SC",sans-serif}`,
  ].join("\n"),
};

/** Serves the site with the fonts, starts Chromium, and ends both after `work(open)`; `open(language)` gives the printed page. */
export async function withStories(work) {
  if (!hasChineseFonts())
    throw new Error("The Chinese paper needs Noto's Chinese fonts: install Debian's package fonts-noto-cjk.");
  const { url, close } = await serve({
    root: site,
    mounts: { "/fonts/": join(root, "node_modules/@expo-google-fonts") },
    answer: (path) => (path === "/fonts/all.css" ? fonts : undefined),
  });
  const browser = await puppeteer.launch({
    executablePath: findBrowser("chromium"),
    args: chromiumFlags,
  });
  const open = async (language) => {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(false);
    await page.emulateMediaType("print");
    await page.goto(`${url}${language}/`, { waitUntil: "networkidle0" });
    await page.addStyleTag({ url: `${url}fonts/all.css` });
    await page.evaluate((date) => {
      document.querySelector(".byline-date").textContent = ` · ${date}`;
      // Chromium gives every root the width that its largest sign would need.
      for (const root of document.querySelectorAll("msqrt")) {
        const surplus =
          root.getBoundingClientRect().right - root.lastElementChild.getBoundingClientRect().right;
        const own = 0.06 * parseFloat(getComputedStyle(root).fontSize);
        root.style.marginInlineEnd = `${Math.min(0, own - surplus)}px`;
      }
      return document.fonts.ready.then(() => undefined);
    }, dateOfText());
    return page;
  };
  try {
    return await work(open);
  } finally {
    await browser.close();
    await close();
  }
}

/** Of the last commit; where there is none, or SOURCE_DATE_EPOCH is set, that day or today. */
function dateOfText() {
  const { SOURCE_DATE_EPOCH: seconds } = process.env;
  const day = (date) => date.toISOString().slice(0, 10);
  if (seconds) return day(new Date(1000 * Number(seconds)));
  try {
    return execFileSync("git", ["log", "-1", "--format=%cs"], { cwd: root, encoding: "utf8" }).trim();
  } catch {
    return day(new Date());
  }
}

/** `format`: A4 or Letter. Says when the text was written, not when it was printed. */
export async function pdfOf(page, format) {
  const data = await page.pdf({
    format,
    printBackground: true,
    tagged: true,
    outline: true,
    timeout: 300_000,
  });
  const text = Buffer.from(data).toString("latin1");
  return Buffer.from(
    text.replaceAll(/\((D:)\d{14}/g, (_, head) => `(${head}${dateOfText().replaceAll("-", "")}000000`),
    "latin1",
  );
}

/** Pages of a PDF that Chromium has written. */
export const pagesOf = (pdf) => pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;

async function printAll(format) {
  const html = new Map(languages.map((each) => [each, readFileSync(join(site, each, "index.html"), "utf8")]));
  const stale = languages.filter((each) => !isPresent(paperName(each, format), html.get(each)));
  mkdirSync(folder, { recursive: true });
  if (stale.length > 0) {
    await withStories(async (open) => {
      for (const language of stale) {
        const name = paperName(language, format);
        writeFileSync(join(folder, name), await pdfOf(await open(language), format));
        writeFileSync(stampFile(name), storyStamp(html.get(language)));
      }
    });
  }
  for (const language of languages) {
    const pdf = readFileSync(join(folder, paperName(language, format)));
    const size = `${(pdf.length / 1e6).toFixed(1)} MB`;
    console.log(`build/site/paper/${paperName(language, format)}: ${pagesOf(pdf)} pages, ${format}, ${size}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { letter: { type: "boolean", default: false } } });
  try {
    await printAll(values.letter ? "Letter" : "A4");
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
