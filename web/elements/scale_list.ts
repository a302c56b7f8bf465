// A list of scales as check boxes and a text for the reader's own numbers; its one text form is
// none,1/sqrt(d),0.3.

export interface Scales {
  named: readonly { name: string; chosen: boolean }[];
  custom: string; // as typed, may hold several, comma separated
}

/** `names`: the parameter's choices. */
export function parseScales(text: string, names: readonly string[] = []): Scales {
  const items = text.split(",");
  const isNamed = (item: string): boolean => names.includes(item.trim());
  const trimmed = items.map((item) => item.trim());
  return {
    named: names.map((name) => ({ name, chosen: trimmed.includes(name) })),
    custom: items.filter((item) => !isNamed(item)).join(","),
  };
}

/** The text form, with the named scale `toggled` set to `chosen`. */
export function formatScales(scales: Scales, toggled?: string, chosen?: boolean): string {
  const names = scales.named.filter((scale) => (scale.name === toggled ? chosen : scale.chosen));
  const items: string[] = names.map((scale) => scale.name);
  if (scales.custom !== "") items.push(scales.custom);
  return items.join(",");
}
