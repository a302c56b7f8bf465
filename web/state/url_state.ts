// The state of the page in the URL's hash:
//   #article_snippet&article_snippet.d=32%2C128&article_snippet.seed=7
// First the section to show, then `element.param=text` with the values that differ from the defaults.
// Whatever the hash holds, parsing returns; what it cannot use is a problem with the fields of an error.

export type Texts = Readonly<Record<string, string>>; // param → text

export interface UrlProblem {
  code: "unknown_name" | "too_many";
  element: string; // "" where the problem is the whole hash
  argument: string;
  expected: string;
  got: string;
}

export interface UrlState {
  section: string;
  elements: ReadonlyMap<string, ReadonlyMap<string, string>>;
  problems: readonly UrlProblem[];
}

export const maxHashLength = 65536;
const maxEntries = 256;
const name = /^[A-Za-z_][\w-]{0,63}$/;

/** `hash` with or without its "#". Of a repeated key the first value counts, as in `URLSearchParams.get`. */
export function parseHash(hash: string): UrlState {
  const text = hash.replace(/^#/, "");
  const elements = new Map<string, Map<string, string>>();
  const problems: UrlProblem[] = [];
  if (text.length > maxHashLength) {
    const got = `${text.length}`;
    problems.push({ code: "too_many", element: "", argument: "URL", expected: `${maxHashLength}`, got });
    return { section: "", elements, problems };
  }
  const first = /^[^&=]*(?=&|$)/.exec(text)?.[0] ?? "";
  const section = name.test(first) ? first : "";
  let count = 0;
  for (const [key, value] of new URLSearchParams(text.slice(first.length))) {
    const dot = key.indexOf(".");
    const [element, param] = [key.slice(0, dot), key.slice(dot + 1)];
    if (dot < 0 || !name.test(element)) continue; // not ours
    if (++count > maxEntries) {
      problems.push({
        code: "too_many",
        element,
        argument: "URL",
        expected: `${maxEntries}`,
        got: `> ${maxEntries}`,
      });
      break;
    }
    if (!name.test(param)) {
      problems.push({
        code: "unknown_name",
        element,
        argument: "URL",
        expected: "",
        got: param.slice(0, 64),
      });
      continue;
    }
    const texts = elements.get(element) ?? new Map<string, string>();
    elements.set(element, texts);
    if (!texts.has(param)) texts.set(param, value);
  }
  return { section, elements, problems };
}

/** The inverse of `parseHash`; elements and params in the order given. "" where there is nothing to say. */
export function formatHash(
  section: string,
  elements: ReadonlyMap<string, ReadonlyMap<string, string>>,
): string {
  const entries = new URLSearchParams();
  for (const [element, texts] of elements) {
    for (const [param, value] of texts) entries.append(`${element}.${param}`, value);
  }
  const query = entries.toString();
  if (!section && !query) return "";
  return query ? `#${section}&${query}` : `#${section}`;
}

/** The values of one element: its defaults, overridden by the URL; names that it does not have are problems. */
export function readElement(
  state: UrlState,
  element: string,
  defaults: Texts,
): { texts: Record<string, string>; problems: UrlProblem[] } {
  const texts: Record<string, string> = { ...defaults };
  const problems = state.problems.filter((problem) => problem.element === element || problem.element === "");
  for (const [param, value] of state.elements.get(element) ?? []) {
    if (Object.hasOwn(defaults, param)) texts[param] = value;
    else {
      const expected = Object.keys(defaults).join(", ");
      problems.push({ code: "unknown_name", element, argument: "URL", expected, got: param });
    }
  }
  return { texts, problems };
}

/** `state` with the non-default values of `element`, which becomes the section to show. */
export function writeElement(state: UrlState, element: string, texts: Texts, defaults: Texts): string {
  const changed = Object.entries(texts).filter(([param, value]) => value !== defaults[param]);
  const elements = new Map(state.elements);
  elements.delete(element);
  if (changed.length > 0) elements.set(element, new Map(changed));
  const section = changed.length > 0 ? element : state.section;
  return formatHash(section, elements);
}
