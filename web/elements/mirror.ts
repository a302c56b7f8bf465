// Properties that mirror attributes.

/** Gives the class a property for each attribute: of text ("" where it is not there), or whether it is there. */
export function mirror(
  { prototype }: { prototype: object },
  texts: readonly string[],
  flags: readonly string[] = [],
): void {
  for (const name of texts) {
    define(prototype, name, {
      get() {
        return this.getAttribute(name) ?? "";
      },
      set(value: string | number | null | undefined) {
        if (value === undefined || value === null) this.removeAttribute(name);
        else this.setAttribute(name, String(value));
      },
    });
  }
  for (const name of flags) {
    define(prototype, name, {
      get() {
        return this.hasAttribute(name);
      },
      set(value: unknown) {
        this.toggleAttribute(name, Boolean(value));
      },
    });
  }
}

function define(
  prototype: object,
  name: string,
  accessors: { get(): unknown; set(value: never): void } & ThisType<HTMLElement>,
): void {
  Object.defineProperty(prototype, name, { ...accessors, configurable: true, enumerable: true });
}

/** What a page has put on the element before its class was known takes effect. */
export function adoptProperties(element: HTMLElement, names: readonly string[]): void {
  const own = element as unknown as Record<string, unknown>;
  for (const name of names) {
    if (!Object.hasOwn(own, name)) continue;
    const value = own[name];
    Reflect.deleteProperty(own, name);
    own[name] = value;
  }
}
