// The reference of the custom elements, from the package's custom-elements.json: attributes, properties, events, style.
// What is generated is English in both languages.
import { escape, type Language, type Page } from "./document.ts";
import type { Prose, ProseReader } from "./markdown.ts";
import { titleHtml } from "./title.ts";

/** Of the manifest's schema what is shown here; whatever else it holds is left alone. */
interface Manifest {
  modules?: readonly { declarations?: readonly ElementDeclaration[] }[];
}
interface Described {
  name?: string;
  description?: string;
  summary?: string;
}
interface Typed extends Described {
  type?: { text?: string };
  default?: string;
}
interface Member extends Typed {
  kind?: string;
  privacy?: string;
  static?: boolean;
  readonly?: boolean;
  parameters?: readonly Typed[];
  return?: { type?: { text?: string } };
}
interface ElementDeclaration extends Described {
  tagName?: string;
  customElement?: boolean;
  attributes?: readonly (Typed & { fieldName?: string })[];
  members?: readonly Member[];
  events?: readonly Typed[];
  slots?: readonly Described[];
  cssProperties?: readonly (Typed & { syntax?: string })[];
  cssParts?: readonly Described[];
}

export interface ElementsInput {
  language: Language;
  /** Its parts: of each kind of entry a heading and what is to be said, in the order of `topics`. */
  prose: Prose;
  reader: ProseReader;
  /** Text of custom-elements.json. */
  manifest: string;
}

interface Entry {
  name: string;
  form: string;
  description: string;
}

const topics: readonly { name: string; of(element: ElementDeclaration): Entry[] }[] = [
  {
    name: "attributes",
    of: ({ attributes }) => typed(attributes),
  },
  {
    name: "members",
    of: ({ members }) => (members ?? []).filter(isPublic).map(memberEntry),
  },
  { name: "events", of: ({ events }) => typed(events) },
  { name: "slots", of: ({ slots }) => plain(slots) },
  { name: "properties", of: ({ cssProperties }) => typed(cssProperties) },
  { name: "parts", of: ({ cssParts }) => plain(cssParts) },
];

/** The elements of the manifest in its order. */
export function elementsIn(manifest: string): (ElementDeclaration & { tagName: string })[] {
  const { modules = [] } = JSON.parse(manifest) as Manifest;
  return modules
    .flatMap(({ declarations = [] }) => declarations)
    .filter((each): each is ElementDeclaration & { tagName: string } => Boolean(each.tagName));
}

export function elementsPage({ language, prose, reader, manifest }: ElementsInput): Page {
  const { title = "", description = "" } = prose.fields;
  const elements = elementsIn(manifest);
  if (elements.length === 0) throw new Error("custom-elements.json describes no element");
  if (prose.parts.length !== topics.length)
    throw new Error(
      `docs/elements.md introduces ${topics.map(({ name }) => name).join(", ")}, in this order`,
    );
  const contents = elements
    .map(
      ({ tagName }) =>
        `          <li><a href="#${tagName}"><code>&lt;${escape(tagName)}&gt;</code></a></li>\n`,
    )
    .join("");
  const main = `      <div class="claim">
        <div class="text">
          <h1>${titleHtml(language, title)}</h1>
${prose.intro}          <ul class="api-contents">
${contents}          </ul>
        </div>
${prose.parts.map(({ heading, html }) => `        <section class="part">\n          <h2>${heading}</h2>\n          <div class="text">\n${html}          </div>\n        </section>\n`).join("")}${elements.map((element) => elementHtml(element, prose, reader)).join("")}      </div>
`;
  return {
    ...{ language, title: `${title} · sqrtdk`, description, main },
    ...{ path: "embed/elements/", room: "embed" },
  };
}

function elementHtml(
  element: ElementDeclaration & { tagName: string },
  prose: Prose,
  reader: ProseReader,
): string {
  const { tagName } = element;
  const topicHtml = (entries: readonly Entry[], index: number): string => {
    if (entries.length === 0) return "";
    const list = entries
      .map((entry) => entryHtml(entry, `${tagName}-${topics[index]!.name}`, reader))
      .join("");
    return `            <h3>${prose.parts[index]!.heading}</h3>
            <dl class="api-fields">
${list}            </dl>
`;
  };
  return `        <section class="api-group" aria-labelledby="${tagName}">
          <div class="text">
            <h2 id="${tagName}" translate="no"><code>&lt;${escape(tagName)}&gt;</code></h2>
          </div>
          <div class="api" lang="en">
${said(element, reader)}${topics.map(({ of }, index) => topicHtml(of(element), index)).join("")}          </div>
        </section>
`;
}

function entryHtml({ name, form, description }: Entry, of: string, reader: ProseReader): string {
  const id = `${of}-${name.replace(/[^\w-]/g, "")}`;
  return `              <dt id="${escape(id)}" translate="no"><code>${escape(name + form)}</code></dt>
              <dd>${description ? reader.block(description) : ""}</dd>
`;
}

function said({ description, summary }: Described, reader: ProseReader): string {
  const text = description ?? summary ?? "";
  return text ? reader.block(text) : "";
}

function plain(entries: readonly Described[] | undefined): Entry[] {
  return (entries ?? []).map(({ name, description, summary }) => ({
    name: name || "(default)",
    form: "",
    description: description ?? summary ?? "",
  }));
}

function typed(entries: readonly Typed[] | undefined): Entry[] {
  return (entries ?? []).map(({ name = "", type, default: initial, description, summary }) => ({
    name,
    form: (type?.text ? `: ${type.text}` : "") + (initial === undefined ? "" : ` = ${initial}`),
    description: description ?? summary ?? "",
  }));
}

function isPublic({ name = "", privacy = "public", static: isStatic = false }: Member): boolean {
  return privacy === "public" && !isStatic && !/^[#_]/.test(name);
}

function memberEntry({
  name = "",
  kind,
  type,
  parameters = [],
  readonly,
  description,
  summary,
  ...rest
}: Member): Entry {
  const result = rest.return?.type?.text;
  const list = parameters.map((each) => `${each.name ?? ""}: ${each.type?.text ?? "unknown"}`).join(", ");
  const form =
    kind === "method" ? `(${list})${result ? `: ${result}` : ""}` : type?.text ? `: ${type.text}` : "";
  return {
    name,
    form: (readonly ? " (readonly)" : "") + form,
    description: description ?? summary ?? "",
  };
}
