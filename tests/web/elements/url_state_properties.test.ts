// Whatever a link holds: parsing returns, and what it took from the link is said by another link.
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  formatHash,
  maxHashLength,
  parseHash,
  readElement,
  writeElement,
} from "../../../web/state/url_state.ts";

const name = fc.stringMatching(/^[A-Za-z_][\w-]{0,12}$/);
const texts = fc.dictionary(name, fc.string({ unit: "grapheme" }), { maxKeys: 5 });
const piece = fc.oneof(
  fc.string({ unit: "binary" }),
  name,
  fc.constantFrom("#", "&", "=", ".", "%", "%zz", "%E0%A4", "\0"),
);
const hash = fc.oneof(
  fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join("")),
  fc
    .array(fc.tuple(name, name, fc.string()), { maxLength: 6 })
    .map(
      (entries) => `#s&${entries.map(([element, param, value]) => `${element}.${param}=${value}`).join("&")}`,
    ),
);

it("any text is parsed, and what was found is found again in its written form", () => {
  fc.assert(
    fc.property(hash, (text) => {
      const { section, elements } = parseHash(text);
      const again = parseHash(formatHash(section, elements));
      expect(again.section).toBe(section);
      expect(again.elements).toEqual(elements);
      expect(again.problems).toEqual([]);
    }),
    { numRuns: 3000 },
  );
});

it("the values that a reader chose are read from the link that says them, and the others are the defaults", () => {
  fc.assert(
    fc.property(texts, fc.infiniteStream(fc.boolean()), texts, name, (defaults, changes, others, element) => {
      const chosen = Object.fromEntries(
        Object.entries(defaults).map(([param, value]) => [
          param,
          changes.next().value === true ? `${value}!` : value,
        ]),
      );
      const before = parseHash(formatHash("", new Map([["other", new Map(Object.entries(others))]])));
      const state = parseHash(writeElement(before, element, chosen, defaults));
      expect(readElement(state, element, defaults)).toEqual({ texts: { ...chosen }, problems: [] });
      if (element === "other") return;
      expect(state.elements.get("other")).toEqual(before.elements.get("other"));
    }),
    { numRuns: 1000 },
  );
});

it("a name that there is not is a problem, and never a value", () => {
  fc.assert(
    fc.property(texts, name, fc.string(), (defaults, param, value) => {
      fc.pre(!Object.hasOwn(defaults, param));
      const state = parseHash(formatHash("", new Map([["e", new Map([[param, value]])]])));
      const read = readElement(state, "e", defaults);
      expect(read.texts).toEqual(defaults);
      expect(read.problems).toMatchObject([{ code: "unknown_name", got: param }]);
    }),
  );
});

it("a link longer than can be is refused as a whole", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), (more) => {
      const state = parseHash(`#s&e.d=${"1".repeat(maxHashLength + more - 6)}`);
      expect(state.elements.size).toBe(0);
      expect(state.problems).toMatchObject([{ code: "too_many" }]);
    }),
    { numRuns: 20 },
  );
});
