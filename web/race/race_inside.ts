// Which recorded step and which heads the reader looks at; until a step was chosen, the newest one.
import type { Race } from "./race.ts";
import { attentionsOf } from "./race_words.ts";
import type { Inside } from "./race_state.ts";

type Choice = Pick<Inside, "attention" | "head" | "pointed">;

export interface ShownInside extends Inside {
  step: number;
  /** Marked in the charts, once the reader has chosen it. */
  cursor: number | undefined;
}

export class InsideChoice {
  #step: number | undefined;
  #choice: Choice = { attention: "", head: undefined };

  /** The steps, of those that are shown, at which every racer that goes on was looked into. */
  static stepsOf(race: Race, shown: number): number[] {
    const looks = race.racers.filter(({ error }) => error === undefined).map((racer) => racer.looks);
    const [first] = looks;
    return first
      ? [...first.keys()]
          .filter((step) => step <= shown && looks.every((each) => each.has(step)))
          .sort((a, b) => a - b)
      : [];
  }

  /** `shown`: the last step of the result. */
  of(race: Race, shown = race.steps): ShownInside | undefined {
    const steps = InsideChoice.stepsOf(race, shown);
    if (steps.length === 0) return undefined;
    const chosen = this.#step === undefined ? -1 : steps.indexOf(this.#step);
    const index = chosen < 0 ? steps.length - 1 : chosen;
    const step = steps[index]!;
    const attentions = attentionsOf(race.racers.map((racer) => ({ look: racer.looks.get(step) })));
    const attention = attentions.includes(this.#choice.attention)
      ? this.#choice.attention
      : (attentions[0] ?? "");
    return { ...this.#choice, steps, index, step, attention, cursor: chosen < 0 ? undefined : step };
  }

  /** The last step is the newest one again, also later. */
  show(index: number, race: Race, shown = race.steps): void {
    const steps = InsideChoice.stepsOf(race, shown);
    this.#step = index >= steps.length - 1 && race.status === "running" ? undefined : steps[index];
    this.#choice = { ...this.#choice, pointed: undefined };
  }

  choose(change: Partial<Choice>): void {
    this.#choice = { ...this.#choice, ...change };
  }
}
