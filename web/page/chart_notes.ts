// The sentence beside each chart of a figure: what it shows, and what to look for. Sentences are the page's, not words
// of the elements, so that neither a bundle nor another page carries them. They are printed with the charts and once
// more in a template, from which the living figure takes them: also those of charts that other settings draw.
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import type { Description, Figure } from "../../bindings/api/types.ts";
import { escape } from "./document.ts";

/** HTML by the chart's name. */
export type ChartNotes = Readonly<Record<string, string>>;

/** A line for each chart without a sentence in `file`, and for each sentence without a chart. */
export function noteProblems(
  { id, words }: Description,
  figures: readonly Figure[],
  notes: ChartNotes,
  file: string,
): string[] {
  const charts = new Set([...(words["figures"] ?? []), ...figures.map(({ name }) => name)]);
  const without = [...charts].filter((name) => !Object.hasOwn(notes, name));
  const unknown = Object.keys(notes).filter((name) => !charts.has(name));
  return [
    ...without.map((name) => `${file}: the chart ${name} of ${id} has no sentence`),
    ...unknown.map((name) => `${file}: ${id} has no chart ${name}`),
  ];
}

/** As a figure's state has them where it is printed. */
export function printedNotes(notes: ChartNotes): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(notes).map(([name, html]) => [name, unsafeHTML(noteHtml(name, html))]),
  );
}

/** All of them, for the living figure. */
export function notesTemplate(notes: ChartNotes): string {
  const all = Object.entries(notes).map(([name, html]) => noteHtml(name, html));
  return `<template>${all.join("")}</template>`;
}

function noteHtml(name: string, html: string): string {
  return `<p class="chart-note" data-chart="${escape(name)}">${html}</p>`;
}
