#!/usr/bin/env node
// Writes web/embed/custom-elements.json (the Custom Elements Manifest, schema 1.0.0) from the elements' classes: what stands in
// their comments, and their public properties.
// scripts/update_elements.mjs --check writes nothing: fails where the file is not what it would write.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import ts from "typescript";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const file = path("web/embed/custom-elements.json");

/** By the name of the published module. */
const sources = {
  figure: "web/elements/sqrtdk_figure.ts",
  hero: "web/elements/sqrtdk_hero.ts",
  race: "web/race/sqrtdk_race.ts",
  check: "web/check/sqrtdk_check.ts",
  value: "web/elements/sqrtdk_value.ts",
};

const sentence = (text) => text?.replace(/\s+/g, " ").trim() ?? "";
const commentOf = (node) => sentence(ts.getTextOfJSDocComment(node.jsDoc?.at(-1)?.comment));

/** What one class says of itself: `@attr {type} name - text`, `@slot`, `@fires`, `@csspart`, `@cssprop`. */
function described(node) {
  const tags = (node.jsDoc ?? []).flatMap(({ tags = [] }) => [...tags]);
  const named = (tagName) =>
    tags
      .filter((tag) => tag.tagName.text === tagName)
      .map((tag) => {
        const [, type, name = "", description = ""] =
          /^@\w+\s+(?:\{(.*?)\}\s+)?(\S*?)\s*- (.*)$/s.exec(tag.getText().replace(/\n\s*\*\s?/g, " ")) ?? [];
        return { name, type, description: sentence(description) };
      });
  const heritage = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  return {
    parent: heritage?.types[0]?.expression.getText() ?? "",
    description: commentOf(node),
    tagName: tags
      .find(({ tagName }) => tagName.text === "element")
      ?.getText()
      .split(/\s+/)[1],
    attributes: named("attr"),
    slots: named("slot"),
    events: named("fires"),
    cssParts: named("csspart"),
    cssProperties: named("cssprop"),
    members: node.members.filter(isPublic).map(memberOf),
    fixed: node.members
      .filter((member) => ts.isGetAccessor(member) && !member.jsDoc)
      .map(({ name }) => name.getText()),
  };
}

/** A property that is declared with what it is: methods and what templates call are ours. */
function isPublic(member) {
  const has = (kind) => member.modifiers?.some((modifier) => modifier.kind === kind) ?? false;
  if (has(ts.SyntaxKind.StaticKeyword) || has(ts.SyntaxKind.ProtectedKeyword)) return false;
  if (!member.jsDoc || has(ts.SyntaxKind.AbstractKeyword) || has(ts.SyntaxKind.OverrideKeyword)) return false;
  if (ts.isGetAccessor(member)) return true;
  return (
    ts.isPropertyDeclaration(member) &&
    !has(ts.SyntaxKind.ReadonlyKeyword) &&
    !ts.isPrivateIdentifier(member.name)
  );
}

function memberOf(member) {
  const type =
    member.type?.getText() ??
    (member.initializer?.kind === ts.SyntaxKind.FalseKeyword ? "boolean" : "unknown");
  return { kind: "field", name: member.name.getText(), type: { text: type }, description: commentOf(member) };
}

const classes = new Map();
for (const source of ["web/elements/base_element.ts", ...Object.values(sources)]) {
  const text = readFileSync(path(source), "utf8");
  ts.createSourceFile(source, text, ts.ScriptTarget.Latest, true).forEachChild((node) => {
    if (ts.isClassDeclaration(node)) classes.set(node.name.text, described(node));
  });
}

/** With what it inherits; what is the class's own stands first. */
function whole(name) {
  const own = classes.get(name);
  if (!own) return undefined;
  const inherited = whole(own.parent);
  const merged = (topic) => {
    const mine = own[topic];
    const isOurs = ({ name }) => own.fixed.includes(name) || mine.some((other) => other.name === name);
    return [...mine, ...(inherited?.[topic].filter((one) => !isOurs(one)) ?? [])];
  };
  const topics = ["attributes", "slots", "events", "cssParts", "cssProperties", "members"];
  return { ...own, ...Object.fromEntries(topics.map((topic) => [topic, merged(topic)])) };
}

function declarationOf(name) {
  const { tagName, parent, description, attributes, members, ...topics } = whole(name);
  const plain = (items) => items.map(({ name, description }) => ({ name, description }));
  const mirrored = (member) =>
    attributes.some(({ name, type = "string" }) => name === member.name && type === member.type.text);
  return {
    kind: "class",
    customElement: true,
    ...{ name, tagName, description, superclass: { name: parent === "Base" ? "HTMLElement" : parent } },
    attributes: attributes.map(({ name, type, description }) => ({
      ...{ name, type: { text: type ?? "string" }, description },
      ...(members.some((member) => member.name === name && mirrored(member)) && { fieldName: name }),
    })),
    members: members.map((member) => ({
      ...member,
      privacy: "public",
      ...(mirrored(member) && { attribute: member.name, reflects: true }),
    })),
    events: topics.events.map(({ name, description }) => ({
      ...{ name, type: { text: name === "change" ? "CustomEvent" : "Event" }, description },
    })),
    ...{
      slots: plain(topics.slots),
      cssParts: plain(topics.cssParts),
      cssProperties: plain(topics.cssProperties),
    },
  };
}

const modules = Object.entries(sources).map(([module, source]) => {
  const name = /export class (\w+)/.exec(readFileSync(path(source), "utf8"))[1];
  const declaration = declarationOf(name);
  const place = `elements/${module}.js`;
  return {
    kind: "javascript-module",
    path: place,
    declarations: [declaration],
    exports: [
      { kind: "js", name, declaration: { name, module: place } },
      { kind: "custom-element-definition", name: declaration.tagName, declaration: { name, module: place } },
    ],
  };
});
const options = { ...(await resolveConfig(file)), parser: "json" };
const text = await format(JSON.stringify({ schemaVersion: "1.0.0", modules }), options);
if (process.argv[2] === "--check") {
  if (readFileSync(file, "utf8") !== text) {
    console.error("web/embed/custom-elements.json is not what scripts/update_elements.mjs would write");
    process.exit(1);
  }
} else writeFileSync(file, text);
