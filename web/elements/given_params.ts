/** Values of settings as a page's script gives them: texts, or what is written as one. */
export type GivenParams = Readonly<Record<string, string | number | readonly (string | number)[]>>;

export function textsOf(given: GivenParams | null | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [name, String(value)]));
}

export function without(
  texts: Readonly<Record<string, string>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !names.includes(name)));
}
