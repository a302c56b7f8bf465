import { afterEach, describe, expect, it, vi } from "vitest";
import { define, register } from "../../../web/elements/register.ts";
import type { Setup } from "../../../web/elements/setup.ts";
import { SqrtdkFigure } from "../../../web/elements/sqrtdk_figure.ts";
import { SqrtdkValue } from "../../../web/elements/sqrtdk_value.ts";

describe("the elements in Node", () => {
  it("can be imported, and registering them does nothing", () => {
    expect("customElements" in globalThis).toBe(false);
    expect(() => register({} as Setup)).not.toThrow();
    expect(() => define("sqrtdk-value", SqrtdkValue)).not.toThrow();
    expect(SqrtdkFigure).toBeTypeOf("function");
  });
});

describe("the elements in a page that has some of them", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("are defined each by itself", () => {
    const theirs = class {
      theirs = true;
    } as unknown as CustomElementConstructor;
    const known = new Map<string, CustomElementConstructor>([["sqrtdk-figure", theirs]]);
    vi.stubGlobal("customElements", {
      get: (name: string) => known.get(name),
      define: (name: string, element: CustomElementConstructor) => known.set(name, element),
    });
    register({} as Setup);
    expect(known.get("sqrtdk-figure")).toBe(theirs);
    define("sqrtdk-value", SqrtdkValue);
    expect(known.get("sqrtdk-value")).toBe(SqrtdkValue);
  });
});
