import { describe, expect, it } from "vitest";
import {
  formatHash,
  maxHashLength,
  parseHash,
  readElement,
  writeElement,
} from "../../../web/state/url_state.ts";

const defaults = { d: "32,128,512", n_keys: "8", seed: "0" };

function values(hash: string, element = "article_snippet"): Record<string, string> {
  return Object.fromEntries(parseHash(hash).elements.get(element) ?? []);
}

describe("parseHash", () => {
  it("reads the section and the values of each element", () => {
    const state = parseHash("#article_snippet&article_snippet.d=32%2C128&article_snippet.seed=7&hero.d=64");
    expect(state.section).toBe("article_snippet");
    expect([...state.elements.keys()]).toEqual(["article_snippet", "hero"]);
    expect(values("#article_snippet&article_snippet.d=32%2C128&article_snippet.seed=7")).toEqual({
      d: "32,128",
      seed: "7",
    });
    expect(state.problems).toEqual([]);
  });

  it.each([
    "",
    "#",
    "#&",
    "#&&&",
    "#=",
    "#a=b",
    "#=&=",
    "#%",
    "#.&.=",
    "#article_snippet.=1",
    "#\u0000&\u0000.d=1",
  ])("survives %j", (hash) => {
    expect(() => parseHash(hash)).not.toThrow();
    expect(parseHash(hash).elements.size).toBe(0);
  });

  it("starts without a section where the first token is a value or no name", () => {
    expect(parseHash("#hero.d=64").section).toBe("");
    expect(values("#hero.d=64", "hero")).toEqual({ d: "64" });
    expect(parseHash("#<img src=x>&hero.d=64").section).toBe("");
    expect(values("#<img src=x>&hero.d=64", "hero")).toEqual({ d: "64" });
  });

  it("keeps bad percent escapes as text", () => {
    expect(values("#a&article_snippet.d=%zz%4")).toEqual({ d: "%zz%4" });
    expect(values("#a&article_snippet.d=%E0%A4%A")["d"]).toMatch(/\uFFFD/);
  });

  it("takes the first of repeated keys", () => {
    expect(values("#a&article_snippet.d=1&article_snippet.d=2")).toEqual({ d: "1" });
  });

  it("is not fooled by names of Object.prototype", () => {
    const state = parseHash(
      "#__proto__&__proto__.polluted=1&constructor.prototype=2&article_snippet.__proto__=3",
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(readElement(state, "article_snippet", defaults)).toEqual({
      texts: defaults,
      problems: [expect.objectContaining({ code: "unknown_name", got: "__proto__" })],
    });
  });

  it("refuses a hash of absurd length and a flood of values", () => {
    const long = parseHash(`#a&article_snippet.d=${"1,".repeat(maxHashLength)}`);
    expect(long.elements.size).toBe(0);
    expect(long.problems).toEqual([expect.objectContaining({ code: "too_many", element: "" })]);
    const flood = Array.from({ length: 1000 }, (_, i) => `article_snippet.p${i}=1`).join("&");
    const state = parseHash(`#a&${flood}`);
    expect(state.elements.get("article_snippet")?.size).toBe(256);
    expect(state.problems).toHaveLength(1);
  });
});

describe("readElement", () => {
  it("overrides defaults and names what it does not know", () => {
    const state = parseHash("#article_snippet&article_snippet.seed=-1&article_snippet.sneed=2&other.x=1");
    const { texts, problems } = readElement(state, "article_snippet", defaults);
    expect(texts).toEqual({ ...defaults, seed: "-1" });
    expect(problems).toEqual([
      {
        code: "unknown_name",
        element: "article_snippet",
        argument: "URL",
        expected: "d, n_keys, seed",
        got: "sneed",
      },
    ]);
  });
});

describe("writeElement", () => {
  it("writes only what differs, keeps other elements, and returns to nothing", () => {
    const start = parseHash("#hero&hero.d=64");
    const hash = writeElement(start, "article_snippet", { ...defaults, d: "1/sqrt(d) &=#+ 点" }, defaults);
    expect(hash.startsWith("#article_snippet&hero.d=64&article_snippet.d=")).toBe(true);
    const back = parseHash(hash);
    expect(back.elements.get("article_snippet")?.get("d")).toBe("1/sqrt(d) &=#+ 点");
    expect(back.elements.get("hero")?.get("d")).toBe("64");
    expect(writeElement(back, "article_snippet", defaults, defaults)).toBe("#article_snippet&hero.d=64");
    expect(writeElement(parseHash(""), "hero", { d: "1" }, { d: "1" })).toBe("");
  });

  it("writes the address of the documentation", () => {
    const texts = { ...defaults, d: "32,128", seed: "7" };
    expect(writeElement(parseHash(""), "article_snippet", texts, defaults)).toBe(
      "#article_snippet&article_snippet.d=32%2C128&article_snippet.seed=7",
    );
  });

  it("keeps an empty text that differs from the default", () => {
    const hash = writeElement(parseHash(""), "article_snippet", { ...defaults, d: "" }, defaults);
    expect(readElement(parseHash(hash), "article_snippet", defaults).texts["d"]).toBe("");
  });
});

describe("formatHash", () => {
  it("is empty for nothing", () => {
    expect(formatHash("", new Map())).toBe("");
    expect(formatHash("hero", new Map())).toBe("#hero");
  });
});
