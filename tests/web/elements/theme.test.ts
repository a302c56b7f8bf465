import { describe, expect, it } from "vitest";
import { stylesheet } from "../../../scripts/lib/stylesheet.mjs";
import { frameTokens, inPixels } from "../../../web/elements/theme.ts";

const tokens = stylesheet("web/styles/tokens.css");
const framed = frameTokens(tokens);
const rule = (selector: string): string =>
  [...framed.matchAll(/([^{}]+)\{([^{}]*)\}/g)].find(([, found]) => found === selector)?.[2] ?? "";
const names = (text: string): string[] => [...text.matchAll(/(--[\w-]+):/g)].map((match) => match[1] ?? "");

describe("the tokens of a frame", () => {
  it("are all of the page's, in both themes, and know no root and no host", () => {
    expect(framed).not.toMatch(/:root|:host|prefers-color-scheme/);
    const [light = ""] = /:root,:host\{[^}]*\}/.exec(tokens) ?? [];
    expect(names(rule(".frame"))).toEqual(names(light));
    const [, dark = ""] = /prefers-color-scheme:dark\)\{:root,:host\{([^}]*)\}/.exec(tokens) ?? [];
    expect(names(dark).length).toBeGreaterThan(10);
    expect(names(rule(".frame.dark"))).toEqual(names(dark));
    expect(rule(".frame:lang(zh)")).toContain("--font-body:var(--sqrtdk-font-body,");
  });

  it("can be set by the page, which needs no twin for texts and no paper", () => {
    expect(framed).toContain("--ink:var(--sqrtdk-ink,#1c1b19)");
    expect(framed).toContain("--scaled-ink:var(--sqrtdk-scaled-ink,var(--sqrtdk-scaled,#00659e))");
    expect(framed).toContain("--paper:var(--sqrtdk-paper,var(--around,#fdfcfa))");
    const unnamed = [...framed.matchAll(/--(?!sqrtdk)([\w-]+):(?!var\(--sqrtdk-)/g)].map((match) => match[1]);
    expect(unnamed).toEqual([]);
  });

  it("become pixels where the page counts in tens", () => {
    expect(inPixels("a{margin:.5rem 1rem;font:1.125rem/1 x-rem}")).toBe(
      "a{margin:8px 16px;font:18px/1 x-rem}",
    );
  });
});
