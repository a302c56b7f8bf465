// The reference of the JavaScript package: every name with its form, docstring and members, in the groups that the page's prose
// introduces. What is generated is English in both languages.
import { apiGroups } from "./api_groups.ts";
import { apiReference, type ApiEntry, type ApiMember } from "./api_reference.ts";
import { escape, type Language, type Page } from "./document.ts";
import type { Prose, ProseReader } from "./markdown.ts";
import { titleHtml } from "./title.ts";

export interface ApiInput {
  language: Language;
  prose: Prose;
  reader: ProseReader;
  /** Text of the package's index.d.ts. */
  declarations: string;
  /** Text of the package's README: its first example stands on the page. */
  readme: string;
}

export function apiPage({ language, prose, reader, declarations, readme }: ApiInput): Page {
  const { title = "", description = "" } = prose.fields;
  const entries = apiReference(declarations);
  checkGroups(entries, prose);
  const html = new EntryHtml(entries, reader);
  const id = (index: number): string => `api-${index + 1}`;
  // The exported names; after an interface of functions these, which is what one looks for.
  const names = (group: readonly string[]): string =>
    group
      .map((name) => entries.get(name)!)
      .filter(({ exported }) => exported)
      .flatMap(({ name, form, members }) => {
        const called = form.startsWith("interface ") ? members.filter(isNamedCall) : [];
        return [
          `<a href="#${name}">${name}</a>`,
          ...called.map((each) => `<a href="#${anchor(`${name}.${each.name}`)}">${each.name}</a>`),
        ];
      })
      .join(" ");
  const contents = prose.parts.map(
    ({ heading }, index) => `          <li><a href="#${id(index)}">${heading}</a></li>\n`,
  );
  const part = (group: readonly string[], index: number): string => {
    const { heading, html: said } = prose.parts[index]!;
    return `        <section class="api-group" aria-labelledby="${id(index)}">
          <div class="text">
            <h2 id="${id(index)}">${heading}</h2>
${said}          </div>
          <div class="api" lang="en">
            <p class="api-names" translate="no">${names(group)}</p>
${group.map((name) => html.entry(entries.get(name)!)).join("")}          </div>
        </section>
`;
  };
  const main = `      <div class="claim">
        <div class="text">
          <h1>${titleHtml(language, title)}</h1>
${prose.intro}${reader.block(firstExample(readme))}          <ol class="api-contents">
${contents.join("")}          </ol>
        </div>
${apiGroups.map(part).join("")}      </div>
`;
  return { language, path: "api/", title: `${title} · sqrtdk`, description, room: "api", main };
}

function isNamedCall({ name, callable }: ApiMember): boolean {
  return callable && name !== "call";
}

/** Throws where a name of the package is in no group, or a group names what is not there, or has no introduction. */
function checkGroups(entries: ReadonlyMap<string, ApiEntry>, prose: Prose): void {
  const named = apiGroups.flat();
  const wrong = [
    ...[...entries.keys()].filter((name) => !named.includes(name)).map((name) => `${name} is in no group`),
    ...named.filter((name) => !entries.has(name)).map((name) => `the package has no ${name}`),
    ...named.filter((name, index) => named.indexOf(name) < index).map((name) => `${name} is in two groups`),
    ...(prose.parts.length === apiGroups.length ? [] : ["docs/api.md does not introduce each group"]),
  ];
  if (wrong.length > 0) throw new Error(`web/page/api_groups.ts: ${wrong.join(", ")}`);
}

function firstExample(readme: string): string {
  const example = /^```js\n.*?^```$/ms.exec(readme)?.[0];
  if (!example) throw new Error("bindings/README.md has no example");
  return example;
}

/** Where "Owner.member" stands on the page. */
function anchor(name: string): string {
  return name.replaceAll(".", "-");
}

class EntryHtml {
  readonly #entries: ReadonlyMap<string, ApiEntry>;
  readonly #reader: ProseReader;

  constructor(entries: ReadonlyMap<string, ApiEntry>, reader: ProseReader) {
    this.#entries = entries;
    this.#reader = reader;
  }

  entry(entry: ApiEntry): string {
    const { name, doc, form, members } = entry;
    const fields = members.filter(({ callable }) => !callable);
    const calls = members.filter(({ callable }) => callable);
    const list = fields.map((member) => this.#field(name, member)).join("");
    return `            <section class="api-entry">
              <h3 id="${name}" translate="no">${name}</h3>
              ${this.#code(form, name)}
${this.#doc(doc)}${list && `              <dl class="api-fields">\n${list}              </dl>\n`}${calls.map((member) => this.#call(name, member)).join("")}            </section>
`;
  }

  #field(owner: string, { name, forms, doc }: ApiMember): string {
    const id = anchor(`${owner}.${name}`);
    return `                <dt id="${id}" translate="no"><code>${this.#linked(forms[0]!, owner)}</code></dt>
                <dd>${this.#doc(doc)}</dd>
`;
  }

  #call(owner: string, { name, forms, doc }: ApiMember): string {
    const id = anchor(`${owner}.${name}`);
    const heading = name === "call" ? "" : `<h4 id="${id}" translate="no">${name}</h4>\n`;
    return `              ${heading}${forms.map((form) => this.#code(form, owner)).join("\n              ")}
${this.#doc(doc)}`;
  }

  #code(text: string, owner: string): string {
    return `<pre translate="no"><code>${this.#linked(text, owner)}</code></pre>`;
  }

  #doc(markdown: string): string {
    return this.#reader
      .block(markdown)
      .replace(/<code>([\w.]+)<\/code>/g, (code, name: string) =>
        this.#has(name) ? `<a href="#${anchor(name)}">${code}</a>` : code,
      );
  }

  /** A declaration's text, whose names lead to theirs. */
  #linked(text: string, owner: string): string {
    return text
      .split(/("[^"]*"|\/\*\*.*?\*\/|[A-Z]\w*)/s)
      .map((part, index) =>
        index % 2 === 1 && part !== owner && this.#has(part)
          ? `<a href="#${part}">${escape(part)}</a>`
          : escape(part),
      )
      .join("");
  }

  #has(id: string): boolean {
    const [name = "", member] = id.split(".");
    const entry = this.#entries.get(name);
    return (
      entry !== undefined && (member === undefined || entry.members.some((each) => each.name === member))
    );
  }
}
