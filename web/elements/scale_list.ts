// A list of scales as check boxes and a text for the reader's own numbers; its one text form is
// none,1/sqrt(d),0.3. What the reader types stays in the text field, also a check box's name: a space behind it marks it.

export interface Scales {
  named: readonly { name: string; chosen: boolean }[];
  custom: string; // as typed, may hold several, comma separated
}

/** `names`: the parameter's choices. */
export function parseScales(text: string, names: readonly string[] = []): Scales {
  const items = text.split(",");
  const isTyped = (item: string): boolean => item.endsWith(" ") && names.includes(item.trim());
  const isNamed = (item: string): boolean => !isTyped(item) && names.includes(item.trim());
  const chosen = items.filter(isNamed).map((item) => item.trim());
  return {
    named: names.map((name) => ({ name, chosen: chosen.includes(name) })),
    custom: items
      .filter((item) => !isNamed(item))
      .map((item) => (isTyped(item) ? item.slice(0, -1) : item))
      .join(","),
  };
}

/** The text form, with the named scale `toggled` set to `chosen`. */
export function formatScales(scales: Scales, toggled?: string, chosen?: boolean): string {
  const names = scales.named.filter((scale) => (scale.name === toggled ? chosen : scale.chosen));
  const items: string[] = names.map((scale) => scale.name);
  const isNamed = (item: string): boolean => scales.named.some(({ name }) => name === item.trim());
  const typed = scales.custom.split(",").map((item) => (isNamed(item) ? `${item} ` : item));
  if (scales.custom !== "") items.push(...typed);
  return items.join(",");
}
