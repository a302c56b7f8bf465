import { describe, expect, it } from "vitest";
import { register } from "../../../web/elements/register.ts";
import type { Setup } from "../../../web/elements/setup.ts";
import { SqrtdkFigure } from "../../../web/elements/sqrtdk_figure.ts";

describe("the elements in Node", () => {
  it("can be imported, and registering them does nothing", () => {
    expect("customElements" in globalThis).toBe(false);
    expect(() => register({} as Setup)).not.toThrow();
    expect(SqrtdkFigure).toBeTypeOf("function");
  });
});
