/** Markup that shows the figure on another page. */
export function tagText(name: string, attributes: readonly (readonly [string, string])[]): string {
  const written = attributes.map(
    ([key, text]) => ` ${key}="${text.replace(/[&"<]/g, (c) => `&#${c.charCodeAt(0)};`)}"`,
  );
  return `<${name}${written.join("")}></${name}>`;
}
