// embed/<id>.html: a figure alone, for frames in other people's pages. Its query is its element's attributes, and `theme`;
// frame.ts reads it and tells the page around how high the figure is.
import { elementOf } from "../embed_page/recipes.ts";
import { escape, languages, languageTags, type Assets, type Language } from "./document.ts";

export interface FrameInput {
  /** An experiment, or "hero". */
  id: string;
  titles: Readonly<Record<Language, string>>;
  /** From the site's root to the figure's page in each language. */
  pages: Readonly<Record<Language, string>>;
  /** From the site's root to what stands there without scripts. */
  picture: { file: string; width: number; height: number } | undefined;
  /** From the site's root. */
  assets: Pick<Assets, "frame" | "frameStyle" | "icon">;
}

/** No page of the site: workers come from blobs, as the embed makes them, and nothing else is fetched from elsewhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "worker-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types lit-html sqrtdk",
].join("; ");

export function frameHtml({ id, titles, pages, picture, assets }: FrameInput): string {
  const tag = elementOf(id);
  const experiment = tag === "sqrtdk-figure" ? ` experiment="${id}"` : "";
  const links = languages.map(
    (language) =>
      `<p lang="${languageTags[language]}"><a href="../${pages[language]}" target="_blank">${escape(titles[language])}</a></p>`,
  );
  const image = picture
    ? `<img src="../${picture.file}" width="${picture.width}" height="${picture.height}" alt="">`
    : "";
  const data = languages.map((language) => ` data-title-${language}="${escape(titles[language])}"`);
  return `<!DOCTYPE html>
<html lang="en"${data.join("")}>
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escape(titles.en)}</title>
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <link rel="icon" type="image/svg+xml" href="../${assets.icon}">
    <script src="../${assets.frame}"></script>
    <link rel="stylesheet" href="../${assets.frameStyle}">
    <script type="module" src="sqrtdk.auto.js"></script>
  </head>
  <body>
    <${tag}${experiment}>${image}${links.join("")}</${tag}>
  </body>
</html>
`;
}
