// The texts that an author copies: the chosen figure for every kind of host.
import { tagText } from "../elements/take_away.ts";
import { formatHash } from "../state/url_state.ts";
import type { Choice } from "./choice.ts";

export const recipeKinds = ["tag", "frame", "react", "notebook", "markdown", "html"] as const;
export type RecipeKind = (typeof recipeKinds)[number];

/** What a recipe needs to know beside the choice. */
export interface Around {
  /** The address of the site's root, ending in "/". */
  site: string;
  /** The figure's question. */
  title: string;
  /** Of the result that is shown; "" where there is none. */
  hash: string;
  /** The room that a frame needs. */
  height: number;
}

export function recipe(kind: RecipeKind, choice: Choice, around: Around): string {
  return recipes[kind](choice, around);
}

const recipes: Record<RecipeKind, (choice: Choice, around: Around) => string> = {
  tag: (choice, { site }) =>
    `<script type="module" src="${site}embed/sqrtdk.auto.js"></script>\n${tagOf(choice)}`,
  frame: (choice, { site, title, height }) =>
    `<iframe src="${attribute(frameAddress(choice, site))}"\n  title="${attribute(title)}" width="100%" height="${height}" loading="lazy" style="border: 0"></iframe>`,
  react: (choice) => {
    const element = elementOf(choice.figure);
    const component = choice.figure.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const props = attributesOf(choice).map(([name, text]) => ` ${name}=${jsxText(text)}`);
    return `import "sqrtdk/elements/${element.replace("sqrtdk-", "")}";

export function ${component}() {
  return <${element}${props.join("")}${choice.theme ? ` style={{ background: "${grounds[choice.theme]}" }}` : ""} />;
}`;
  },
  notebook: ({ figure, params, controls, charts, lang }) => {
    const options: [string, string][] = [
      ...Object.entries(params),
      ...(controls === "all" ? [] : [["controls", controls] as [string, string]]),
      ...(charts.length === 0 ? [] : [["charts", charts.join(",")] as [string, string]]),
      ["lang", lang],
    ];
    const given = options.map(([name, text]) => `, ${name}=${JSON.stringify(text)}`);
    return `from sqrtdk import Figure\n\nFigure(${JSON.stringify(figure)}${given.join("")})`;
  },
  markdown: (choice, around) => {
    const link = pageAddress(choice, around.site);
    const title = around.title.replace(/[[\]]/g, "\\$&");
    return `[![${title}](${pictureName(choice, around)})](${link})\n\n[${title}](${link})${stamp(around)}`;
  },
  html: (choice, around) => {
    const link = attribute(pageAddress(choice, around.site));
    const title = attribute(around.title);
    return `<p><a href="${link}"><img src="${pictureName(choice, around)}" alt="${title}"></a></p>
<p><a href="${link}">${title}</a>${stamp(around)}</p>`;
  },
};

/** An element takes the theme of the ground that it stands on. */
const grounds = { light: "#fdfcfa", dark: "#161614" } as const;

function attribute(text: string): string {
  return text.replace(/[&"<]/g, (character) => ({ "&": "&amp;", '"': "&quot;", "<": "&lt;" })[character]!);
}

function jsxText(text: string): string {
  return /["\n\\]/.test(text) ? `{${JSON.stringify(text)}}` : `"${text}"`;
}

export function elementOf(figure: string): "sqrtdk-hero" | "sqrtdk-race" | "sqrtdk-figure" {
  if (figure === "hero") return "sqrtdk-hero";
  return figure === "training_race" ? "sqrtdk-race" : "sqrtdk-figure";
}

/** The figure's attributes; all that is not the default. */
function attributesOf({ figure, params, controls, charts, lang }: Choice): [string, string][] {
  return [
    ...(elementOf(figure) === "sqrtdk-figure" ? [["experiment", figure] as [string, string]] : []),
    ...Object.entries(params),
    ...(controls === "all" ? [] : [["controls", controls] as [string, string]]),
    ...(charts.length === 0 ? [] : [["charts", charts.join(",")] as [string, string]]),
    ["lang", lang],
  ];
}

function tagOf(choice: Choice): string {
  const ground: [string, string][] = choice.theme ? [["style", `background: ${grounds[choice.theme]}`]] : [];
  return tagText(elementOf(choice.figure), [...attributesOf(choice), ...ground]);
}

/** A frame's query holds the attributes of its element, and `theme`. */
export function frameAddress(choice: Choice, site: string): string {
  const entries = attributesOf(choice).filter(([name]) => name !== "experiment");
  if (choice.theme) entries.push(["theme", choice.theme]);
  const query = new URLSearchParams(entries).toString().replaceAll("%2C", ",");
  return `${site}embed/${choice.figure}.html?${query}`;
}

/** The figure on the site, as it is set. */
export function pageAddress({ figure, params, lang }: Choice, site: string): string {
  const state = formatHash(figure, new Map([[figure, new Map(Object.entries(params))]]));
  const hash = Object.keys(params).length > 0 ? state : "";
  return `${site}${lang}/${figure === "hero" ? "" : `lab/${figure}/`}${hash}`;
}

/** As the figure itself names the file that it saves. */
function pictureName({ figure }: Choice, { hash }: Around): string {
  const experiment = figure === "hero" ? "article_snippet" : figure;
  return `${experiment}${hash && `-${hash}`}.png`;
}

function stamp({ hash }: Around): string {
  return hash && ` · ${hash}`;
}
