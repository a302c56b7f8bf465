// What a page may style in a figure: `::part(…)`, by the class that the part has among us.

export const shadowParts: Readonly<Record<string, string>> = {
  title: ".figure-question",
  controls: ".figure-controls",
  control: ".control",
  input: ".control :is(input, select, textarea)",
  button: ".button",
  error: ".control-error",
  verdict: ".verdict",
  charts: ".charts",
  chart: ".chart",
  caption: ".charts figcaption",
  note: ".figure-note",
  lines: ".printed pre",
  apparatus: ".apparatus",
  table: ".numbers",
  row: ".hero-row",
  stage: ".race-stage",
  lane: ".race-lane",
};

/** After each drawing: templates are the page's own as well, where a part is none. */
export function markParts(root: ParentNode): void {
  for (const [part, selector] of Object.entries(shadowParts)) {
    for (const element of root.querySelectorAll(`${selector}:not([part])`))
      element.setAttribute("part", part);
  }
}
