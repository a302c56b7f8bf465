import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Race } from "../../../web/race/race.ts";
import { InsideChoice } from "../../../web/race/race_inside.ts";
import { ownSettings, readRuns, runEntries, withRuns, writeRuns } from "../../../web/race/race_runs.ts";
import type { RunEntry } from "../../../web/race/race_runs.ts";
import { Seldom } from "../../../web/elements/seldom.ts";
import { fakeTraining } from "../elements/fixtures/fake_training.ts";
import { raceTexts } from "../elements/fixtures/race_description.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function storage(text: string | null = null): { kept: string | null } & Storage {
  const store = {
    kept: text,
    getItem: () => store.kept,
    setItem: (_: string, value: string) => void (store.kept = value),
  };
  return store as never;
}

const entry: RunEntry = {
  id: "1-0",
  texts: { ...raceTexts, steps: "50" },
  scale: "none",
  n_heads: "1",
  steps: 50,
  steps_to_90: null,
  accuracy: 0.5,
  hash: "0123456789abcdef",
};

describe("the runs of a session", () => {
  it("are kept and found again", () => {
    const store = storage();
    writeRuns([entry], () => store);
    expect(readRuns(() => store)).toEqual([entry]);
  });

  it("are none where nothing may be kept, or something else was", () => {
    const forbidden = (): Storage => {
      throw new Error("SecurityError");
    };
    expect(() => writeRuns([entry], forbidden)).not.toThrow();
    expect(readRuns(forbidden)).toEqual([]);
    for (const text of ["", "{", "{}", "null", '[null, 1, {"id": 3}]']) {
      expect(readRuns(() => storage(text))).toEqual([]);
    }
  });

  it("take the place of what they were before, and the oldest go", () => {
    const later = { ...entry, steps: 90 };
    expect(withRuns([entry, { ...entry, id: "2-0" }], [later]).map(({ id, steps }) => [id, steps])).toEqual([
      ["2-0", 50],
      ["1-0", 90],
    ]);
    const many = Array.from({ length: 70 }, (_, index) => ({ ...entry, id: String(index) }));
    expect(withRuns([], many)[0]!.id).toBe("10");
  });

  it("differ from the defaults in their own settings", () => {
    expect(ownSettings(entry, raceTexts)).toEqual([["steps", "50"]]);
  });

  it("take their numbers from the result of the race", async () => {
    const training = fakeTraining();
    const race = new Race(raceTexts, training.worker(), () => undefined);
    void race.run();
    await vi.advanceTimersByTimeAsync(1000);
    const at = { scale: "1/sqrt(d)", n_heads: "1" };
    const result = training.here.raceResult(
      raceTexts,
      race.racers.map(({ rows }) => rows),
    );
    const scalars = [
      { name: "steps_to_90", at: { ...at, scale: "none" }, value: null },
      { name: "steps_to_90", at: { ...at, scale: "none", seed: "0" }, value: 70 },
      { name: "token_accuracy", at: { ...at, scale: "none" }, value: 0.6 },
      { name: "steps_to_90", at, value: 80 },
      { name: "token_accuracy", at, value: 1 },
    ];
    const entries = await runEntries(race, { ...result, scalars });
    expect(entries.map(({ scale, steps_to_90, accuracy }) => [scale, steps_to_90, accuracy])).toEqual([
      ["none", null, 0.6],
      ["1/sqrt(d)", 80, 1],
    ]);
    expect(entries[0]!.hash).toBe("0000000000000100");
  });
});

describe("a look inside", () => {
  async function raced(steps: number): Promise<Race> {
    const race = new Race(raceTexts, fakeTraining().worker(), () => undefined);
    void race.run(steps);
    await vi.advanceTimersByTimeAsync(1000);
    return race;
  }

  it("follows the newest step until another was chosen, which the charts then mark", async () => {
    const race = await raced(60);
    const choice = new InsideChoice();
    expect(choice.of(race)).toMatchObject({ steps: [0, 20, 40, 60], index: 3, step: 60, cursor: undefined });
    choice.show(1, race);
    void race.run();
    await vi.advanceTimersByTimeAsync(1000);
    expect(choice.of(race)).toMatchObject({ index: 1, step: 20, cursor: 20 });
  });

  it("shows an attention that there is", async () => {
    const race = await raced(20);
    const choice = new InsideChoice();
    expect(choice.of(race)!.attention).toBe("layers.0.self_attn");
    choice.choose({ attention: "layers.1.self_attn" });
    expect(choice.of(race)!.attention).toBe("layers.1.self_attn");
    choice.choose({ attention: "layers.7.self_attn" });
    expect(choice.of(race)!.attention).toBe("layers.0.self_attn");
  });
});

describe("Seldom", () => {
  it("does of many calls one, then waits in proportion to what it took", async () => {
    let took = 0;
    const task = vi.fn(() => void vi.advanceTimersByTime(took));
    const seldom = new Seldom(task);
    for (let call = 0; call < 10; ++call) seldom.ask();
    await vi.advanceTimersByTimeAsync(1);
    expect(task).toHaveBeenCalledTimes(1);
    took = 100;
    seldom.now();
    seldom.ask();
    await vi.advanceTimersByTimeAsync(450);
    expect(task).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(100);
    expect(task).toHaveBeenCalledTimes(3);
    took = 0;
    seldom.ask();
    seldom.stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(task).toHaveBeenCalledTimes(3);
    seldom.now();
    expect(task).toHaveBeenCalledTimes(4);
  });
});
