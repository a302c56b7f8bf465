// The reference tells every name that the package exports, and says something of everything that can be called.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { apiGroups } from "../../../web/page/api_groups.ts";
import { apiPage } from "../../../web/page/api_page.ts";
import { apiReference } from "../../../web/page/api_reference.ts";
import type { Language } from "../../../web/page/document.ts";
import { Formulas } from "../../../web/page/formulas.ts";
import { ProseReader } from "../../../web/page/markdown.ts";

const path = (relative: string): string => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
const read = (relative: string): string => readFileSync(path(relative), "utf8");
const reader = new ProseReader({ copy: "", copied: "" }, new Formulas());
const readme = read("bindings/README.md");

const sample = `type Hidden = "a";
/** What \`f\` takes. */
export interface Options {
\t/** [n]; default 1. */
\treadonly gain?: readonly number[];
\treadonly kind?: Hidden;
}
/** Numbers. */
export declare class Box$1 {
\t#private;
\treadonly [Symbol.dispose]: () => void;
\tprivate constructor();
\t/** How many. */
\tget size(): number;
\t/** Throws \`Options\`. */
\tf(options: Options & {
\t\treadonly all: true;
\t}): Box$1;
\tf(options?: Options): number;
}
export {
\tBox$1 as Box,
};
`;

describe("declarations", () => {
  const entries = apiReference(sample);

  test("become names with their forms, docstrings and members", () => {
    expect([...entries.values()].map(({ name, exported, form, doc }) => [name, exported, form, doc])).toEqual(
      [
        ["Hidden", false, 'type Hidden = "a"', ""],
        ["Options", true, "interface Options", "What `f` takes."],
        ["Box", true, "class Box", "Numbers."],
      ],
    );
    expect(entries.get("Options")?.members).toEqual([
      { name: "gain", doc: "[n]; default 1.", forms: ["gain?: readonly number[]"], callable: false },
      { name: "kind", doc: "", forms: ["kind?: Hidden"], callable: false },
    ]);
    expect(entries.get("Box")?.members).toEqual([
      { name: "size", doc: "How many.", forms: ["size: number"], callable: false },
      {
        name: "f",
        doc: "Throws `Options`.",
        forms: ["f(options: Options & { all: true }): Box", "f(options?: Options): number"],
        callable: true,
      },
    ]);
  });
});

const declarations = path("build/package/index.d.ts");
const built = existsSync(declarations);
if (!built) console.warn(`skipped: ${declarations} is not built (scripts/build)`);

describe.skipIf(!built)("the page", () => {
  const text = built ? readFileSync(declarations, "utf8") : "";
  const page = (language: Language, said = read(`web/content/${language}/docs/api.md`), given = text) =>
    apiPage({ language, prose: reader.read(said), reader, declarations: given, readme });
  const exported = [...apiReference(text).values()].filter((entry) => entry.exported);

  test.each(["en", "zh"] as const)("has each name that the package exports, in %s", async (language) => {
    const { main } = page(language);
    const all = Object.keys((await import(path("build/package/index.node.js"))) as object);
    const values = all.filter((name) => name.length > 1); // single letters are for the script beside it
    expect(values).toContain("load");
    expect(values).toContain("ShapeError");
    // Both as the compiler sees them, and as the entry lists them.
    const entries = ["index", "index_nn", "index_ops"]
      .map((name) => read(`bindings/api/${name}.ts`))
      .join("");
    const listed = [...entries.matchAll(/export (?:type )?{([^}]*)}/g)].flatMap(([, names = ""]) =>
      names.split(",").flatMap((name) => name.trim() || []),
    );
    expect(listed.length).toBeGreaterThan(80);
    for (const name of new Set([...values, ...listed, ...exported.map((entry) => entry.name)]))
      expect(main.split(`<h3 id="${name}"`), name).toHaveLength(2);
  });

  test("says something of each function, method and exported type that can be called", () => {
    const silent = exported.flatMap(({ name, members }) =>
      members.filter(({ callable, doc }) => callable && doc === "").map((member) => `${name}.${member.name}`),
    );
    expect(silent).toEqual([]);
    expect(
      exported.filter(({ members, doc }) => doc === "" && members.some((each) => each.callable)),
    ).toEqual([]);
  });

  test("has an anchor for each member, once, and leads only to what is there", () => {
    const { main } = page("en");
    const ids = [...main.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toContain("AttentionOps-attention");
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...main.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links).toContain("TensorLike");
    expect(links.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("has a Chinese frame around what is generated in English", () => {
    const { main, title } = page("zh");
    expect(title).toMatch(/\p{Script=Han}/u);
    expect(main.match(/<div class="api" lang="en">/g)).toHaveLength(apiGroups.length);
  });

  test("is refused where a name has no group, or a group no introduction", () => {
    const more = `${text}\nexport type Unheard = 1;\n`;
    expect(() => page("en", undefined, more)).toThrow("Unheard is in no group");
    const [less] = read("web/content/en/docs/api.md").split("## Errors");
    expect(() => page("en", less)).toThrow("does not introduce each group");
    expect(() => page("en", undefined, text.replaceAll("Tokenizer", "Splitter"))).toThrow("has no Tokenizer");
  });
});
