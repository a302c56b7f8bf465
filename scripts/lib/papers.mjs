// The story on paper: which PDFs there are under build/paper, and whether they say what the story says now.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const folder = fileURLToPath(new URL("../../build/paper", import.meta.url));

/** As in the links of web/page/story_page.ts. */
export const paperName = (language, format) =>
  `sqrtdk-${language}${format === "Letter" ? "-letter" : ""}.pdf`;

const offer = /<p class="paper-offer">.*?<\/p>/s;
const link = / *<a href="[^"]*?([\w-]+\.pdf)">[^<]*<\/a>/g;

/** Of a story's words and figures. `html`: its page, with or without what the build writes into it. */
export function storyStamp(html) {
  const [, main] = /<main[^>]*>(.*)<\/main>/s.exec(html);
  const told = main.replace(offer, "").replace(/<p class="keep-offline".*?<\/p>/s, "");
  return createHash("sha256").update(told).digest("hex");
}

export const stampFile = (name) => join(folder, `${name}.stamp`);

/** Whether the paper of this name was printed from this page. */
export function isPresent(name, html) {
  const stamp = stampFile(name);
  return (
    existsSync(join(folder, name)) && existsSync(stamp) && readFileSync(stamp, "utf8") === storyStamp(html)
  );
}

/** The page with links to the papers that say the same; `names` of these. */
export function withPapers(html) {
  const names = [];
  const linked = html.replace(offer, (paragraph) => {
    const left = paragraph.replace(link, (whole, name) => {
      if (!isPresent(name, html)) return "";
      names.push(name);
      return whole;
    });
    return names.length > 0 ? left : "";
  });
  return { html: linked, names };
}
