import { describe, expect, test } from "vitest";
import { elementsIn, elementsPage } from "../../../web/page/elements_page.ts";
import { Formulas } from "../../../web/page/formulas.ts";
import { ProseReader } from "../../../web/page/markdown.ts";

const reader = new ProseReader({ copy: "", copied: "" }, new Formulas());
const topics = ["attributes", "properties", "events", "slots", "variables", "parts"];
const prose = reader.read(
  `---\ntitle: T\ndescription: D\n---\n\nintro\n\n${topics.map((name) => `## ${name}\n\ntext\n`).join("\n")}`,
);
const page = (manifest: unknown): string =>
  elementsPage({ language: "en", prose, reader, manifest: JSON.stringify(manifest) }).main;

describe("the elements' reference", () => {
  test("shows every topic that an element has", () => {
    const declaration = {
      kind: "class",
      customElement: true,
      tagName: "x-y",
      description: "Says `what` it is.",
      attributes: [{ name: "d", type: { text: "string" }, description: "dims", default: '"32"' }],
      members: [
        { kind: "field", name: "result", type: { text: "RunResult | undefined" }, readonly: true },
        { kind: "field", name: "#own" },
        { kind: "field", name: "hidden", privacy: "protected" },
        {
          kind: "method",
          name: "run",
          parameters: [{ name: "a", type: { text: "string" } }],
          return: { type: { text: "void" } },
        },
      ],
      events: [{ name: "change", type: { text: "CustomEvent<Change>" }, description: "changed" }],
      slots: [{ name: "", description: "fallback" }],
      cssProperties: [{ name: "--sqrtdk-ink", default: "#000" }],
      cssParts: [{ name: "chart" }],
    };
    const html = page({ modules: [{ declarations: [declaration, { kind: "class", name: "Other" }] }] });
    for (const text of [
      '<h2 id="x-y" translate="no"><code>&lt;x-y&gt;</code></h2>',
      "<p>Says <code>what</code> it is.</p>",
      "d: string = &#34;32&#34;",
      "result (readonly): RunResult | undefined",
      "run(a: string): void",
      "change: CustomEvent&#60;Change&#62;",
      "(default)",
      "--sqrtdk-ink",
      "chart",
    ])
      expect(html).toContain(text);
    expect(html).not.toContain("#own");
    expect(html).not.toContain("hidden</code>");
    for (const name of topics) expect(html).toContain(`<h3>${name}</h3>`);
  });

  test("bears what is missing, but not that there is nothing", () => {
    expect(page({ modules: [{}, { declarations: [{ tagName: "x-y" }] }] })).toContain('id="x-y"');
    expect(() => page({ modules: [] })).toThrow(/no element/);
    expect(elementsIn("{}")).toEqual([]);
  });

  test("asks for an introduction to each topic", () => {
    const short = reader.read("---\ntitle: T\n---\n\nintro\n\n## one\n\ntext\n");
    const manifest = JSON.stringify({ modules: [{ declarations: [{ tagName: "x-y" }] }] });
    expect(() => elementsPage({ language: "en", prose: short, reader, manifest })).toThrow(
      /docs\/elements\.md/,
    );
  });
});
