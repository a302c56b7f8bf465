// The bet before the race, and what became of it. It blocks nothing: the race starts without one, too.
import { html, type TemplateResult } from "lit/html.js";
import { keep } from "../elements/keep.ts";
import { formatNumber, typeset } from "../charts/format.ts";
import { nobody } from "./race_bet.ts";
import type { RaceActions, RaceState } from "./race_state.ts";
import { raceWord } from "./race_words.ts";
import { ui } from "../words/vocabulary.ts";

/** Its answer cannot be changed while the race is on. */
export function betView({ figure, lanes, bet, status }: RaceState, actions: RaceActions): TemplateResult {
  const { id, vocabulary } = figure;
  const choices = [
    ...lanes.map((lane) => ({ value: lane.bet, name: lane.name, role: lane.role })),
    { value: nobody, name: raceWord(vocabulary, "bet_nobody"), role: "nobody" },
  ];
  const isClosed = status !== "ready" && status !== "done";
  return html`<fieldset class="race-bet" ?disabled=${isClosed}>
    <legend>${raceWord(vocabulary, "bet")}</legend>
    <div class="race-choices">
      ${choices.map(
        ({ value, name, role }, index) =>
          html`<label class="race-choice role-${role}">
            <input
              type="radio"
              id="${id}-bet-${index}"
              name="${id}-bet"
              value=${value}
              autocomplete="off"
              ?checked=${value === bet}
              ${keep({ checked: value === bet })}
              @change=${() => actions.placeBet(value)}
            /><span class="race-name">${name}</span></label
          >`,
      )}
    </div>
  </fieldset>`;
}

/** Who was first, and a kind word on the bet. */
export function outcomeText({ figure, lanes, outcome, total }: RaceState): string {
  if (!outcome) return "";
  const { vocabulary } = figure;
  const { first, steps, right, backed } = outcome;
  const names = first.map((place) => lanes[place]?.name ?? "").join(ui(vocabulary, "list_separator"));
  const said =
    steps === null
      ? raceWord(vocabulary, "first_nobody", { total: String(total) })
      : raceWord(vocabulary, "first", { names, steps: formatNumber(steps) });
  if (right === undefined) return typeset(said);
  const answer = right ? raceWord(vocabulary, "bet_right") : missed();
  return typeset(raceWord(vocabulary, "said_and_answered", { said, answer }));

  function missed(): string {
    if (!backed) return raceWord(vocabulary, "bet_wrong_nobody");
    const name = lanes[backed.place]?.name ?? "";
    return backed.steps === null
      ? raceWord(vocabulary, "bet_wrong_never", { name })
      : raceWord(vocabulary, "bet_wrong", { name, steps: formatNumber(backed.steps) });
  }
}
