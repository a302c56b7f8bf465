// Fields for text in the story's figures. Printed, each is a text that looks like it and waits in a template until its figure
// comes near: a browser that offers to fill fields in lays out all of a page's together, just after its first paint.

/** Printed markup with texts in the place of its fields. */
export function withTexts(markup: string): string {
  return markup.replace(/<input\s[^>]*\btype="(?:text|number)"[^>]*>/g, (field) => {
    const of = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(field)?.[1] ?? "";
    const text = of("value") || of("placeholder");
    return `<span class="field-text ${of("class")}">${text}</span><template class="field">${field}</template>`;
  });
}

/** The fields in the place of their texts. */
export function bringFields(figure: Element): void {
  for (const field of figure.querySelectorAll<HTMLTemplateElement>("template.field")) {
    field.previousElementSibling!.replaceWith(field.content);
    field.remove();
  }
}
