// An element's live properties (value, checked) follow the state even after the reader has changed them.
// An element directive: it does nothing in Node, where boolean properties would be printed as attributes.
import { noChange } from "lit/html.js";
import { Directive, directive, type ElementPart } from "lit/directive.js";

type Properties = Readonly<Record<string, string | boolean>>;

class Keep extends Directive {
  override update({ element }: ElementPart, [properties]: [Properties]): typeof noChange {
    const target = element as unknown as Record<string, unknown>;
    for (const [name, value] of Object.entries(properties)) {
      if (target[name] !== value) target[name] = value;
    }
    return noChange;
  }

  /** Never called for an element; it only types the argument. */
  override render(properties: Properties): unknown {
    return properties;
  }
}

export const keep = directive(Keep);
