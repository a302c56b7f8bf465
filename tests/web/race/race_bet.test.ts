import { describe, expect, it } from "vitest";
import type { RunResult } from "../../../bindings/api/types.ts";
import { outcomeText } from "../../../web/race/race_bet_view.ts";
import { betOn, nobody, outcomeOf, readBet, writeBet } from "../../../web/race/race_bet.ts";
import { lastStep, learnedAt } from "../../../web/race/race_learned.ts";
import { racePlan } from "../../../web/race/race_plan.ts";
import { lanesOf, type RaceState } from "../../../web/race/race_state.ts";
import { raceTexts } from "../elements/fixtures/race_description.ts";
import { vocabularyOf } from "../elements/fixtures/load.ts";

const plan = racePlan({ ...raceTexts, scale: "none,1/sqrt(d),1/d" });
const [none, scaled, inverse] = plan.racers.map(betOn) as [string, string, string];
const reached = (...steps: (number | null)[]) => steps.map((each) => ({ reached: each }));

describe("a bet", () => {
  it("is right on who was first, and on each of those who were first together", () => {
    const learned = reached(null, 200, 80);
    expect(outcomeOf(plan.racers, learned, inverse)).toMatchObject({ first: [2], steps: 80, right: true });
    expect(outcomeOf(plan.racers, learned, scaled)).toMatchObject({ right: false, backed: { steps: 200 } });
    expect(outcomeOf(plan.racers, learned, none)).toMatchObject({ right: false, backed: { steps: null } });
    expect(outcomeOf(plan.racers, reached(80, null, 80), none)).toMatchObject({ first: [0, 2], right: true });
  });

  it("may be on none of them", () => {
    expect(outcomeOf(plan.racers, reached(null, null, null), nobody)).toMatchObject({
      first: [],
      right: true,
    });
    expect(outcomeOf(plan.racers, reached(null, 90, null), nobody)).toMatchObject({ right: false });
  });

  it("is neither right nor wrong where there is none, or who was bet on does not run", () => {
    for (const bet of ["", "cosine|1"])
      expect(outcomeOf(plan.racers, reached(null, 90, null), bet).right).toBeUndefined();
  });

  it("is kept, and is none where nothing may be kept", () => {
    let kept: string | null = null;
    const storage = () =>
      ({ getItem: () => kept, setItem: (_: string, text: string) => void (kept = text) }) as never;
    expect(readBet(storage)).toBe("");
    writeBet(scaled, storage);
    expect(readBet(storage)).toBe(scaled);
    const refused = (): Storage => {
      throw new Error("SecurityError");
    };
    expect(() => writeBet(scaled, refused)).not.toThrow();
    expect(readBet(refused)).toBe("");
  });

  it("is answered kindly, in both languages", () => {
    for (const language of ["en", "zh"] as const) {
      const vocabulary = vocabularyOf(language);
      const said = (bet: string, ...steps: (number | null)[]): string => {
        const outcome = outcomeOf(plan.racers, reached(...steps), bet);
        const lanes = lanesOf(plan, undefined, 0, vocabulary);
        const state = { figure: { vocabulary }, lanes, outcome, total: 240 } as unknown as RaceState;
        return outcomeText(state).replaceAll("\u2060", ""); // keeps 1/√d on one line
      };
      const all = [
        said("", null, 200, 80),
        said(inverse, null, 200, 80),
        said(scaled, null, 200, 80),
        said(none, null, 200, 80),
        said(nobody, null, 200, 80),
        said(nobody, null, null, null),
      ];
      expect(new Set(all).size).toBe(6);
      for (const text of all) expect(text).not.toMatch(/\{|undefined|null/);
      expect(all[2]).toMatch(/1\/√d.*200/);
      expect(all[5]).toContain("240");
    }
  });
});

describe("what was learned", () => {
  const line = (name: string, x: number[], y: (number | null)[]) => ({ name, role: "other" as const, x, y });
  const series = [
    line("none", [0, 20, 40], [0.1, 0.3, 0.5]),
    line("1/sqrt(d)", [0, 20, 40], [0.1, 0.6, 0.95]),
    line("1/d", [0, 20, 40], [0.2, 0.93, null]),
    { ...line("chance", [0, 100], [0.3, 0.3]), role: "reference" as const },
  ];
  const axes = { kind: "lines" as const, x: "step", y: "right_tokens", log_x: false, log_y: false };
  const goals = [null, 40, 20].map((value, racer) => ({
    ...{ name: "steps_to_90", at: { scale: plan.racers[racer]!.scale, n_heads: "1" }, value },
  }));
  const result = {
    figures: [{ name: "race_accuracy", at: {}, ...axes, series }],
    scalars: goals,
  } as unknown as RunResult;

  it("is what the curve shows at the step, and who has arrived by then", () => {
    expect(lastStep(result)).toBe(40);
    expect(learnedAt(result, plan, 20)).toEqual([
      { accuracy: 0.3, reached: null },
      { accuracy: 0.6, reached: null },
      { accuracy: 0.93, reached: 20 },
    ]);
    expect(learnedAt(result, plan, 40).map((each) => each.reached)).toEqual([null, 40, 20]);
    expect(learnedAt(result, plan, 30)[1]).toEqual({ accuracy: 0.6, reached: null });
  });

  it("is nothing before the first record", () => {
    const empty = { ...result, figures: [], scalars: [] } as unknown as RunResult;
    expect(learnedAt(empty, plan, 40)).toEqual(Array(3).fill({ accuracy: undefined, reached: null }));
  });
});
