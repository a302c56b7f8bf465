// TeX to MathML when the site is built; nothing is shipped. The strict style-src refuses the inline styles
// that Temml writes, so each becomes a class named after its text.
import { createHash } from "node:crypto";
import temml from "temml";

/**
 * A heading's HTML, whose formulas have names: without one, Chromium leaves them out of the heading's. `source`
 * is its Markdown, with formulas as small as $\sqrt{d_k}$.
 */
export function named(html: string, source: string): string {
  const texts = [...source.matchAll(/\$([^$]+)\$/g)].map(([, tex = ""]) =>
    tex.replace(/\\sqrt\s*(?:\{([^{}]*)\}|(\w))/g, "√$1$2"),
  );
  let next = 0;
  return html.replace(/<math\b/g, (start) => {
    const text = texts[next++];
    if (text === undefined || /[\\"<&]/.test(text))
      throw new Error(`a heading's formula has no name: ${source}`);
    return `${start} aria-label="${text}"`;
  });
}

export class Formulas {
  readonly #rules = new Map<string, string>();

  render(tex: string, display: boolean): string {
    const mathml = temml.renderToString(tex, { displayMode: display, throwOnError: true });
    const used = mathml.replace(/ (fence|separator)="true"/g, ""); // MathML Core draws nothing from them
    return used.replace(/<[^<>]* style="[^<>]*>/g, (tag) => this.#classed(tag));
  }

  /** The rules for all formulas rendered so far. */
  css(): string {
    return [...this.#rules].map(([name, style]) => `.${name}{${style}}\n`).join("");
  }

  #classed(tag: string): string {
    const style = / style="([^"]*)"/.exec(tag)?.[1] ?? "";
    const name = "f-" + createHash("sha256").update(style).digest("hex").slice(0, 8);
    const declarations = style.split(";").filter((declaration) => declaration.trim() !== "");
    this.#rules.set(name, declarations.map((declaration) => `${declaration.trim()}!important`).join(";"));
    const plain = tag.replace(/ style="[^"]*"/, "");
    if (plain.includes(' class="')) return plain.replace(' class="', ` class="${name} `);
    return plain.replace(/^<[\w-]+/, (start) => `${start} class="${name}"`);
  }
}
