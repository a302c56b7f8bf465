// The racers' own answers, token by token: a wrong token is struck out and said to be wrong. What continues a text is
// neither right nor wrong: it is shown as it is written.
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Answer } from "../../bindings/api/trainer.ts";
import type { Lane } from "./race_state.ts";
import { raceWord } from "./race_words.ts";
import type { Vocabulary } from "../words/vocabulary.ts";

/** Whether answers to this task are texts to be read, not tokens to be compared. */
export function isWritten(task: string): boolean {
  return task === "characters";
}

export function answersView(
  lanes: readonly Lane[],
  task: string,
  vocabulary: Vocabulary,
): TemplateResult | typeof nothing {
  const first = lanes.find(({ look }) => look !== undefined)?.look?.answers ?? [];
  if (first.length === 0) return nothing;
  return html`<ol
    class="race-answers"
    aria-label=${raceWord(vocabulary, isWritten(task) ? "written" : "answers")}
  >
    ${first.map(
      (question, index) =>
        html`<li>
          <dl>
            ${questionLines(question, task, vocabulary)}
            ${lanes.map(({ name, role, look }) => {
              const given = look?.answers[index];
              return given
                ? line(name, `role-${role}`, [
                    answerView(given, task, vocabulary),
                    count(given, task, vocabulary),
                  ])
                : nothing;
            })}
          </dl>
        </li>`,
    )}
  </ol>`;
}

/** What is given, and what would be right. */
export function questionLines(
  { source, expected }: Answer,
  task: string,
  vocabulary: Vocabulary,
): TemplateResult {
  if (isWritten(task)) return line(raceWord(vocabulary, "goes_on"), "", [passage(source, expected)]);
  return html`${line(raceWord(vocabulary, "source"), "", unpadded(source).map(token))}
  ${line(raceWord(vocabulary, "expected"), "", expected.map(token))}`;
}

/** One racer's answer. */
export function answerView(
  { source, answer, expected }: Answer,
  task: string,
  vocabulary: Vocabulary,
): TemplateResult {
  if (isWritten(task)) return passage(source, answer);
  return html`${answer.map((text, index) =>
    text === expected[index] ? token(text) : wrong(text, vocabulary),
  )}`;
}

function count({ answer, expected }: Answer, task: string, vocabulary: Vocabulary): unknown {
  if (isWritten(task)) return nothing;
  const right = answer.filter((text, index) => text === expected[index]).length;
  const said = raceWord(vocabulary, "right", { right: String(right), all: String(expected.length) });
  return html`<span class="race-right">${said}</span>`;
}

function line(name: string, role: string, tokens: readonly unknown[]): TemplateResult {
  return html`<div class="race-line ${role}">
    <dt>${name}</dt>
    <dd>${tokens}</dd>
  </div>`;
}

function unpadded(source: readonly string[]): readonly string[] {
  return source.slice(0, source.findLastIndex((text) => text.trim() !== "") + 1);
}

/** A space is shown. */
function visible(text: string): string {
  return /^\s*$/.test(text) ? "␣" : text;
}

function token(text: string): TemplateResult {
  return html`<span class="race-token">${visible(text)}</span> `;
}

function wrong(text: string, vocabulary: Vocabulary): TemplateResult {
  return html`<s class="race-token race-wrong"
    ><span class="visually-hidden">${raceWord(vocabulary, "wrong")} </span>${visible(text)}</s
  > `;
}

/** A text as it goes on after what was given; its lines end where they do. */
function passage(source: readonly string[], written: readonly string[]): TemplateResult {
  const text = (tokens: readonly string[]): string => tokens.join("").replaceAll("\n", "⏎\n");
  return html`<span class="race-passage"
    ><span class="race-given">${text(source)}</span>${text(written)}</span
  >`;
}
