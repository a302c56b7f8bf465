// The racers' own answers, token by token: a wrong token is struck out and said to be wrong.
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Answer } from "../../bindings/api/trainer.ts";
import type { Lane } from "./race_state.ts";
import { raceWord } from "./race_words.ts";
import type { Vocabulary } from "../words/vocabulary.ts";

export function answersView(lanes: readonly Lane[], vocabulary: Vocabulary): TemplateResult | typeof nothing {
  const first = lanes.find(({ look }) => look !== undefined)?.look?.answers ?? [];
  if (first.length === 0) return nothing;
  return html`<ol class="race-answers" aria-label=${raceWord(vocabulary, "answers")}>
    ${first.map(
      ({ source, expected }, index) =>
        html`<li>
          <dl>
            ${line(raceWord(vocabulary, "source"), "", unpadded(source).map(token))}
            ${line(raceWord(vocabulary, "expected"), "", expected.map(token))}
            ${lanes.map((lane) => answerLine(lane, lane.look?.answers[index], vocabulary))}
          </dl>
        </li>`,
    )}
  </ol>`;
}

function answerLine(
  { name, role }: Lane,
  given: Answer | undefined,
  vocabulary: Vocabulary,
): TemplateResult | typeof nothing {
  if (!given) return nothing;
  const { answer, expected } = given;
  const right = answer.filter((text, index) => text === expected[index]).length;
  const tokens = answer.map((text, index) =>
    text === expected[index] ? token(text) : wrong(text, vocabulary),
  );
  const count = raceWord(vocabulary, "right", { right: String(right), all: String(expected.length) });
  return line(name, `role-${role}`, [...tokens, html`<span class="race-right">${count}</span>`]);
}

function line(name: string, role: string, tokens: readonly TemplateResult[]): TemplateResult {
  return html`<div class="race-line ${role}">
    <dt>${name}</dt>
    <dd>${tokens}</dd>
  </div>`;
}

function unpadded(source: readonly string[]): readonly string[] {
  return source.slice(0, source.findLastIndex((text) => text.trim() !== "") + 1);
}

/** A space is shown. */
function token(text: string): TemplateResult {
  return html`<span class="race-token">${/^\s*$/.test(text) ? "␣" : text}</span> `;
}

function wrong(text: string, vocabulary: Vocabulary): TemplateResult {
  return html`<s class="race-token race-wrong"
    ><span class="visually-hidden">${raceWord(vocabulary, "wrong")} </span
    >${/^\s*$/.test(text) ? "␣" : text}</s
  > `;
}
