// What every page of the site has around its own text: head, masthead and footer. Plain strings, relative addresses, no
// inline script or style.
export type Language = "en" | "zh";
export const languages: readonly Language[] = ["en", "zh"];
export const languageTags: Record<Language, string> = { en: "en", zh: "zh-CN" };
const locales: Record<Language, string> = { en: "en_US", zh: "zh_CN" };

export function otherThan(language: Language): Language {
  return language === "en" ? "zh" : "en";
}

/** The rooms that the masthead leads to, by their folders. */
export const rooms = ["lab", "articles", "models", "embed", "api", "check"] as const;
export type Room = (typeof rooms)[number];

/** web/content/{en,zh}/page.json: what pages say beside their prose. */
export interface PageWords {
  title: string;
  title_tex: string; // with a formula
  description: string;
  answer_tex: string;
  hero_caption: string;
  noscript: string;
  skip: string;
  site: string; // name of the masthead's links
  rooms: Record<Room, string>;
  language: string;
  this_language: string;
  other_language: string;
  source: string;
  separator: string; // between "Source" and what it is
  copy: string;
  copied: string;
  offline: string;
  keep_offline: string; // a button; {size}
  kept_offline: string;
  keep_failed: string;
  groups: Record<string, string>; // of experiments
  search: string;
  nothing_found: string;
  tolerances: string; // of what would disprove a claim
  contents: string; // name of the list of chapters
  to_lab: string; // before links to an experiment's page
  guess_look: string; // summary of a guess's answer
  guess_yours: string; // {guess}
  guess_asked: string; // heads of the table of all guesses
  guess_guessed: string;
  guess_measured: string;
  guess_link: string; // button that copies a link
  references: string;
  undated: string; // of a text
  byline: string; // of the story on paper
  paper: string; // offers the story on paper
  paper_a4: string;
  paper_letter: string;
  previous: string;
  next: string;
  verdicts: Record<Verdict, string>;
  /** Of the page for authors. */
  embed: {
    choose: string; // name of all controls
    figure: string; // and of each
    controls: string;
    charts: string;
    theme: string;
    hero: string; // a figure without a page of its own
    controls_of: Record<"all" | "few" | "none", string>;
    themes: Record<"page" | "light" | "dark", string>;
    save_picture: string;
  };
}

/** What is to be said of an article's claim. */
export type Verdict = "right" | "imprecise" | "wrong" | "untestable";

/** Files of the client build, relative to the site's root. */
export interface Assets {
  styles: string[];
  vocabularies: Record<Language, string>; // modules with the elements' words
  wasm: string; // of the first figures
  early: string; // script that does not wait for the page, and brings the other one
  script: string;
  choose: string; // script of the front page
  frame: string; // script of the frames
  frameStyle: string;
  icon: string;
}

export interface Page {
  language: Language;
  /** From the language's folder to the page: "", "lab/", "lab/score_variance/". */
  path: string;
  title: string;
  description: string;
  room?: Room | undefined;
  /** HTML of what stands in <main>. */
  main: string;
  /** A figure of the first module is seen at once. */
  wasm?: boolean;
  /** Old addresses name these sections of the site's one page of then; each has a page of its own now. */
  moved?: readonly string[];
}

/** What pages share. */
export interface Frame {
  words: Readonly<Record<Language, PageWords>>;
  assets: Assets;
  /** Absolute address of the site's root, or "" where it is not known. */
  site: string;
  /** By a page's path from the site's root: its picture for those who link to it. */
  pictures: ReadonlyMap<string, Picture>;
}

export interface Picture {
  /** From the site's root. */
  file: string;
  width: number;
  height: number;
  alt: string;
}

const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types lit-html default",
].join("; ");

export function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** From a page to the site's root. */
export function rootOf(path: string): string {
  return "../".repeat(path.split("/").length - 1);
}

interface Head {
  language: Language;
  title: string;
  description: string;
  path: string; // from the site's root to the page
  inLanguage: string | undefined; // from a language's folder to the page; undefined where there is one for both
  early: string; // a script, before what it would have to wait for: style sheets
  links: string[];
}

function head(
  { language, title, description, path, inLanguage, early, links }: Head,
  { assets, site, pictures }: Frame,
): string {
  const root = rootOf(path);
  const picture = pictures.get(path);
  const absolute = site
    ? [
        `<link rel="canonical" href="${escape(site + path)}">`,
        ...languages.map(
          (tag) =>
            `<link rel="alternate" hreflang="${languageTags[tag]}" href="${escape(`${site}${tag}/${inLanguage ?? ""}`)}">`,
        ),
        `<link rel="alternate" hreflang="x-default" href="${escape(`${site}${inLanguage ? `en/${inLanguage}` : ""}`)}">`,
        `<meta property="og:url" content="${escape(site + path)}">`,
        ...(picture ? pictureTags(picture, site) : []),
      ]
    : [];
  return `<!DOCTYPE html>
<html lang="${languageTags[language]}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escape(title)}</title>
    <meta name="description" content="${escape(description)}">
    <meta name="color-scheme" content="light dark">
    <meta name="theme-color" media="(prefers-color-scheme: light)" content="#fdfcfa">
    <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#161614">
    <meta property="og:type" content="article">
    <meta property="og:site_name" content="sqrtdk">
    <meta property="og:title" content="${escape(title)}">
    <meta property="og:description" content="${escape(description)}">
    <meta property="og:locale" content="${locales[language]}">
    <link rel="icon" type="image/svg+xml" href="${root}${assets.icon}">
    ${[...absolute, early, ...assets.styles.map((file) => `<link rel="stylesheet" href="${root}${file}">`), ...links].join("\n    ")}
  </head>
`;
}

function pictureTags({ file, width, height, alt }: Picture, site: string): string[] {
  return [
    `<meta property="og:image" content="${escape(site + file)}">`,
    `<meta property="og:image:width" content="${width}">`,
    `<meta property="og:image:height" content="${height}">`,
    `<meta property="og:image:alt" content="${escape(alt)}">`,
    `<meta name="twitter:card" content="summary_large_image">`,
  ];
}

/** A whole page. */
export function pageHtml(page: Page, frame: Frame): string {
  const { language, title, description, wasm = false, moved = [] } = page;
  const { assets } = frame;
  const words = frame.words[language];
  const other = otherThan(language);
  const path = `${language}/${page.path}`;
  const root = rootOf(path);
  const data = [
    ` data-script="${root}${assets.script}"`,
    ...(wasm ? [` data-wasm="${root}${assets.wasm}"`] : []),
    ...(moved.length > 0 ? [` data-moved="${moved.join(" ")}"`] : []),
  ];
  const early = `<script src="${root}${assets.early}"${data.join("")}></script>`;
  const links = [
    `<link rel="modulepreload" fetchpriority="low" href="${root}${assets.vocabularies[language]}">`,
  ];
  const toRoom = (room: Room): string => {
    const current = page.room !== room ? "" : page.path === `${room}/` ? "page" : "true";
    const mark = current && ` aria-current="${current}"`;
    return `<li><a href="${rootOf(page.path)}${room}/"${mark}>${escape(words.rooms[room])}</a></li>`;
  };
  const inLanguage = page.path;
  return `${head({ language, title, description, path, inLanguage, early, links }, frame)}  <body>
    <a class="skip" href="#main">${escape(words.skip)}</a>
    <header class="masthead">
      <p class="wordmark" translate="no"><a href="${rootOf(page.path) || "./"}">sqrtdk</a></p>
      <nav class="rooms" aria-label="${escape(words.site)}">
        <ul>
          ${rooms.map(toRoom).join("\n          ")}
        </ul>
      </nav>
      <nav aria-label="${escape(words.language)}">
        <a id="other-language" lang="${languageTags[other]}" hreflang="${languageTags[other]}" href="${root}${other}/${page.path}">${escape(words.other_language)}</a>
      </nav>
    </header>
    <main id="main">
${page.main}    </main>
    <footer class="colophon"><p>${escape(words.offline)}</p></footer>
  </body>
</html>
`;
}

/** The page at the root: sends the reader on by a script; without one, shows both titles as links. */
export function frontPage(frame: Frame): string {
  const { words, assets } = frame;
  const early = `<script src="${assets.choose}"></script>`;
  const choices = languages
    .map((tag) => {
      const { title, this_language } = words[tag];
      const attributes = `lang="${languageTags[tag]}" hreflang="${languageTags[tag]}" href="${tag}/"`;
      return `        <li><a ${attributes}>${escape(title)}</a> <span lang="${languageTags[tag]}">${escape(this_language)}</span></li>`;
    })
    .join("\n");
  const { title, description } = words.en;
  const about = { language: "en", title, description, path: "", inLanguage: undefined } as const;
  return `${head({ ...about, early, links: [] }, frame)}  <body>
    <main class="front">
      <h1 translate="no">sqrtdk</h1>
      <ul>
${choices}
      </ul>
    </main>
  </body>
</html>
`;
}

/** Every page with its other language, for search engines. Only where the site knows its address. */
export function sitemap(paths: readonly string[], site: string): string {
  const address = (language: Language, path: string): string => escape(`${site}${language}/${path}`);
  const entries = paths.flatMap((path) =>
    languages.map((language) => {
      const alternates = languages.map(
        (tag) => `<xhtml:link rel="alternate" hreflang="${languageTags[tag]}" href="${address(tag, path)}"/>`,
      );
      return `<url><loc>${address(language, path)}</loc>${alternates.join("")}</url>\n`;
    }),
  );
  const open = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${open}\n${entries.join("")}</urlset>\n`;
}
