// Every number that a sentence quotes is derived again, and none stands in a sentence by itself.
// scripts/update_quoted runs this file with QUOTED=write or check: the derivations in full.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Formulas } from "../../../web/page/formulas.ts";
import { ProseReader, type Prose } from "../../../web/page/markdown.ts";
import { Quotations } from "../../../web/page/quoted.ts";
import { descriptions } from "../../../web/page/words.mjs";
import { binary } from "../../cli/command.ts";
import { own } from "./own_numbers.ts";
import { checkShort, derive, folder, unitOf } from "./quotations.ts";
import { toldNumbers } from "./told_numbers.ts";

const mode = process.env["QUOTED"];
const only = (process.env["QUOTED_OF"] ?? "").split(" ").filter(Boolean);
const quotations = Quotations.in(folder);
const built = existsSync(binary);

if (mode) {
  test.each(only.length > 0 ? only : [...quotations.byExperiment.keys()])(
    "%s, in full",
    { timeout: 3_600_000 },
    async (id) => expect(await derive(id, mode === "write")).toEqual([]),
  );
} else {
  describe.skipIf(!built).each([...quotations.byExperiment])("%s", (id, groups) => {
    test.each(groups.map((group, index) => [index, group] as const))(
      "quotes what it computes: run %i",
      (_, group) => {
        expect(checkShort(id, group)).toEqual([]);
      },
    );
  });
}

const content = new URL("../../../web/content/", import.meta.url);

const source = (language: string, id: string): string =>
  readFileSync(new URL(`${language}/lab/${id}.md`, content), "utf8");

function read(language: string, id: string, params: readonly string[]): { prose: Prose; used: string[] } {
  const used: string[] = [];
  const reader = new ProseReader({ copy: "", copied: "" }, new Formulas());
  const prose = reader.read(
    source(language, id),
    { id, params },
    {
      bound: (of, path) => {
        used.push(`${of} ${path}`);
        return 0.5;
      },
      quoted: (name, experiment) => {
        used.push(`${experiment} ${name}`);
        return quotations.number(name, experiment);
      },
    },
  );
  return { prose, used };
}

describe.skipIf(mode !== undefined).each(descriptions().map((each) => [each.id, each] as const))(
  "%s",
  (id, { params }) => {
    const names = params.map(({ name }) => name);
    const settings = new Set(params.flatMap((param) => param.default.match(/\d+(?:\.\d+)?/g) ?? []));

    test.each(["en", "zh"])("tells no number that nothing derives (%s)", (language) => {
      const exempt = own[id] ?? {};
      const told = toldNumbers(read(language, id, names).prose, settings);
      const free = told.filter(({ number }) => !Object.hasOwn(exempt, number));
      const sentences = free.map(({ number, sentence }) => `${number}: ${sentence}`).join("\n");
      expect(free.length, `bind, quote or explain:\n${sentences}`).toBe(0);
    });

    test("explains no number that stands in no sentence", () => {
      const told = ["en", "zh"].flatMap((language) => toldNumbers(read(language, id, names).prose, settings));
      const stale = Object.keys(own[id] ?? {}).filter((each) => !told.some(({ number }) => number === each));
      expect(stale).toEqual([]);
    });

    test("prints no digit that its standard error leaves open", () => {
      const alone = /\{((?:\w+\/)?\w+) (\.\d%?|g\d|,)\}(?! ± \{\1:se )/g; // not beside its error
      for (const [text, name = "", format = ""] of source("en", id).matchAll(alone)) {
        const { value } = quotations.number(name, id);
        const se = quotations.error(name, id) ?? 0;
        expect(se, `the standard error in ${text}`).toBeLessThanOrEqual(unitOf(format, value));
      }
    });

    test("quotes the same numbers in both languages", () => {
      expect(read("zh", id, names).used.sort()).toEqual(read("en", id, names).used.sort());
    });
  },
);

/** What the chapters quote, each with its experiment. */
function inStory(language: string): string[] {
  const folder = new URL(`${language}/story/`, content);
  const text = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), "utf8"));
  return [...text.join("").matchAll(/\{(\w+)\/(\w+)(?::\w+)? [.g,][\d%]*\}/g)].map(
    ([, id, name]) => `${id} ${name}`,
  );
}

test.skipIf(mode !== undefined)("the story quotes the same numbers in both languages", () => {
  expect(inStory("en").length).toBeGreaterThan(0);
  expect(inStory("zh").sort()).toEqual(inStory("en").sort());
});

test.skipIf(mode !== undefined)("no number is derived for nothing", () => {
  const inLab = descriptions().flatMap(({ id, params }) =>
    read(
      "en",
      id,
      params.map(({ name }) => name),
    ).used.map((name) => name.replace(/:\w+$/, "").replace(/^\w+ (\w+)\//, "$1 ")),
  );
  const used = new Set([...inLab, ...inStory("en")]);
  const derived = [...quotations.byExperiment].flatMap(([id, groups]) =>
    groups.flatMap(({ values }) => Object.keys(values).map((name) => `${id} ${name}`)),
  );
  expect(derived.filter((name) => !used.has(name))).toEqual([]);
});
