// custom-elements.json names what there is.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stylesheet } from "../../../scripts/lib/stylesheet.mjs";
import { SqrtdkCheck } from "../../../web/check/sqrtdk_check.ts";
import { shadowParts } from "../../../web/elements/shadow_parts.ts";
import { SqrtdkFigure } from "../../../web/elements/sqrtdk_figure.ts";
import { SqrtdkHero } from "../../../web/elements/sqrtdk_hero.ts";
import { SqrtdkValue } from "../../../web/elements/sqrtdk_value.ts";
import { frameTokens } from "../../../web/elements/theme.ts";
import { descriptions } from "../../../web/page/words.mjs";
import { SqrtdkRace } from "../../../web/race/sqrtdk_race.ts";

interface Named {
  name: string;
  description: string;
}
interface Declaration extends Named {
  tagName: string;
  attributes: (Named & { fieldName?: string; type: { text: string } })[];
  members: (Named & { attribute?: string })[];
  events: Named[];
  slots: Named[];
  cssParts: Named[];
  cssProperties: Named[];
}

const file = "web/embed/custom-elements.json";
const manifest = JSON.parse(readFileSync(file, "utf8")) as { modules: { declarations: Declaration[] }[] };
const declarations = manifest.modules.flatMap((module) => module.declarations);
const classes: Record<string, { prototype: object }> = {
  ...{ SqrtdkFigure, SqrtdkHero, SqrtdkRace, SqrtdkCheck, SqrtdkValue },
};

describe("custom-elements.json", () => {
  it("is what the sources say", () => {
    expect(() => execFileSync("node", ["scripts/update_elements.mjs", "--check"])).not.toThrow();
  });

  it("names each element once, and says of everything what it is", () => {
    expect(declarations.map(({ name }) => name)).toEqual(Object.keys(classes));
    for (const { tagName, description, ...topics } of declarations) {
      const { attributes, members, events, slots, cssParts, cssProperties } = topics;
      expect(description, tagName).not.toBe("");
      for (const each of [...attributes, ...members, ...events, ...slots, ...cssParts, ...cssProperties])
        expect(each.description, `${tagName} ${each.name}`).toMatch(/\w.*\.$/);
    }
  });

  it.each(declarations)("names properties that <$tagName> has", ({ name, members, attributes }) => {
    const { prototype } = classes[name]!;
    const fields = ["result", "stale"]; // of each instance
    for (const member of members)
      expect(member.name in prototype || fields.includes(member.name), member.name).toBe(true);
    for (const { fieldName } of attributes)
      expect(fieldName === undefined || fieldName in prototype).toBe(true);
  });

  it("names every part, and none that is not marked", () => {
    const named = new Set(declarations.flatMap(({ cssParts }) => cssParts.map(({ name }) => name)));
    expect([...named].sort()).toEqual(Object.keys(shadowParts).sort());
  });

  it("names variables that the styles ask for", () => {
    const styles = frameTokens(stylesheet("web/styles/tokens.css")) + stylesheet("web/styles/frame.css");
    for (const { cssProperties } of declarations)
      for (const { name } of cssProperties) expect(styles).toContain(`var(${name},`);
  });

  it("has no attribute that is a parameter of an experiment", () => {
    const params = new Set(descriptions().flatMap((each) => each.params.map(({ name }) => name)));
    const figure = declarations.find(({ tagName }) => tagName === "sqrtdk-figure")!;
    for (const { name } of figure.attributes) expect(params.has(name), name).toBe(false);
  });
});
