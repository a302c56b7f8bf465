// Style sheets of web/styles as short texts.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "lightningcss";

const folder = fileURLToPath(new URL("../../web/styles", import.meta.url));

/** The file's rules with its imports in their places, minified. */
export function stylesheet(path) {
  return bundle({ filename: path, minify: true }).code.toString();
}

/**
 * The style sheet of charts in files of their own: as on the page, but a chart's width is the picture's, and its
 * theme is asked for by the address (".dark:target"), because not every browser tells pictures of the page's.
 */
export function pictureStyles() {
  const [tokens, marks] = ["tokens", "marks"].map((name) => stylesheet(join(folder, `${name}.css`)));
  const used = new Set(marks.match(/(?<=var\()--[\w-]+/g));
  const variables = (pattern) => {
    const found = tokens.match(pattern)?.[1].split(";");
    if (!found) throw new Error(`tokens.css has nothing like ${pattern}`);
    return found.filter((declaration) => used.has(declaration.split(":")[0])).join(";");
  };
  return [
    `:root{${variables(/^:root,:host{([^}]+)}/)}}`,
    `:root:lang(zh){${variables(/}:root:lang\(zh\),[^{]+{([^}]+)}/)}}`,
    `.dark:target~g{${variables(/@media screen and \(prefers-color-scheme:dark\){:root,:host{([^}]+)}/)}}`,
    marks.replaceAll("@container chart", "@media"),
  ].join("");
}

/** The two themes of tokens.css by an attribute, for what is to be seen in another theme than its page. */
export function themeStyles(selector) {
  const tokens = stylesheet(join(folder, "tokens.css"));
  const theme = (name, pattern) => {
    const colours = tokens.match(pattern)?.[1].split(";");
    if (!colours) throw new Error(`tokens.css has nothing like ${pattern}`);
    const kept = colours.filter((declaration) => /^--[\w-]+:#/.test(declaration));
    return `${selector}[data-theme=${name}]{color-scheme:${name};${kept.join(";")};background:var(--paper);color:var(--ink)}`;
  };
  return [
    theme("light", /^:root,:host{([^}]+)}/),
    theme("dark", /@media screen and \(prefers-color-scheme:dark\){:root,:host{([^}]+)}/),
  ].join("");
}

/** Values of tokens.css: the light theme's, in a language. */
function tokensIn(language) {
  const tokens = stylesheet(join(folder, "tokens.css"));
  const values = (pattern) =>
    tokens
      .match(pattern)[1]
      .split(";")
      .map((text) => text.split(/:(.*)/s).slice(0, 2));
  return new Map([
    ...values(/^:root,:host{([^}]+)}/),
    ...(language === "zh" ? values(/}:root:lang\(zh\),[^{]+{([^}]+)}/) : []),
  ]);
}

/**
 * The look of pages' pictures: colours, and the style sheet of charts without variables and queries, which the
 * rasterizer does not know. `font`: the family that sets the charts' text.
 */
export function chartLook(language, font) {
  const tokens = tokensIn(language).set("--font-ui", `"${font}"`);
  const [paper, ink, muted, hairline] = ["paper", "ink", "muted", "hairline"].map((name) =>
    tokens.get(`--${name}`),
  );
  const marks = stylesheet(join(folder, "marks.css")).replace(/@container[^{]+{(?:[^{}]*{[^{}]*})*}/g, "");
  const sizeOf = (rule) => Number(marks.split(`}${rule}{`)[1]?.match(/^[^}]*--chart-text:([\d.]+)px/)?.[1]);
  // A role's colour of texts, where the sheet has it as a variable.
  const roles = [...marks.matchAll(/(\.role-\w+){[^{}]*--text:([^;}]+)/g)].map(
    ([, role, colour]) => `${role} text,text${role}{fill:${colour}}`,
  );
  const chartStyles = (compact) => {
    const size = sizeOf(compact ? ".charts-maps .chart-svg" : ".chart-svg");
    const resolved = marks
      .replace(/--(?:text|chart-text):[^;}]+;?/g, "")
      .replaceAll("var(--chart-text)", `${size}px`)
      .replace(/calc\(([\d.]+)px \* ([\d.]+)\)/g, (_, length, factor) => `${length * factor}px`)
      .replace(/font:([\d.]+px) \/ 1 ([^;}]+)/, "font-size:$1;font-family:$2")
      .replace(/(\.chart-svg text{fill:)var\(--text, ?(var\(--muted\))\)([^}]*})/, `$1$2$3${roles.join("")}`)
      .replace(/var\((--[\w-]+)\)/g, (_, name) => tokens.get(name));
    if (/var\(|calc\(|undefined|NaN|font:/.test(resolved))
      throw new Error(`marks.css: not resolved: ${resolved}`);
    return resolved;
  };
  return { paper, ink, muted, hairline, chartStyles };
}
