// The code that prose shows: what stands between ``` fences, by its language.

export interface Snippet {
  language: string;
  code: string;
  /** For messages: the file and the line of the fence. */
  where: string;
}

/** Fences of tildes may hold others. */
export function snippetsIn(markdown: string, file: string): Snippet[] {
  const found: Snippet[] = [];
  for (const match of markdown.matchAll(/^(`{3,}|~~~)([^\n`]*)\n(.*?)^\1$/gms)) {
    const [, , language = "", code = ""] = match;
    const line = markdown.slice(0, match.index).split("\n").length;
    found.push({ language: language.trim(), code, where: `${file}:${line}` });
  }
  return found;
}

export interface Tag {
  name: string;
  attributes: Map<string, string>;
}

/** The elements of ours in a text of HTML, a template or JSX, whose expressions have the value "{…}". */
export function tagsIn(code: string): Tag[] {
  return [...code.matchAll(/<(sqrtdk-[a-z-]+)((?:\{\{[^}]*\}\}|"[^"]*"|\{[^}]*\}|[^<>"])*)>/g)].map(
    ([, name = "", rest = ""]) => ({
      name,
      attributes: new Map(
        [
          ...rest
            .replace(/"\{\{[^}]*\}\}"/g, '"{…}"')
            .replace(/\{\{[^}]*\}\}/g, "")
            .matchAll(/([a-z][\w-]*)(?:=(?:"([^"]*)"|\{[^}]*\}))?/g),
        ].map(([, attribute = "", text = "{…}"]) => [attribute, text]),
      ),
    }),
  );
}

/** Shortcodes of Quarto and Hugo: the words after their name. */
export function shortcodesIn(code: string): { words: string[]; settings: Map<string, string> }[] {
  return [...code.matchAll(/\{\{< sqrtdk (.*?) >\}\}/g)].map(([, rest = ""]) => ({
    words: rest.split(/\s+/).filter((word) => !word.includes("=")),
    settings: new Map([...rest.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", text = ""]) => [name, text])),
  }));
}
