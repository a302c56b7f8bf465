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
