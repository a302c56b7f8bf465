import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Race } from "../../../web/race/race.ts";
import {
  lookEvery,
  nextMeeting,
  racePlan,
  rateAfter,
  sameRace,
  withRate,
} from "../../../web/race/race_plan.ts";
import { fakeTraining, type FakeTrainer } from "../elements/fixtures/fake_training.ts";

const texts = {
  task: "sort",
  scale: "none,1/sqrt(d)",
  n_heads: "1,2",
  seeds: "7,8",
  steps: "100",
  record_every: "20",
  examples: "64",
  learning_rate: "0.001",
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function bench(change: Partial<typeof texts> = {}, prepare?: (trainer: FakeTrainer) => void) {
  const training = fakeTraining(prepare);
  const changed = vi.fn();
  const race = new Race({ ...texts, ...change }, training.worker(), changed);
  return { race, changed, trainers: training.trainers };
}

const steps = (rows: readonly Float64Array[]): number[] => rows.map((row) => row[0]!);

describe("racePlan", () => {
  const plan = racePlan(texts);

  it("has a racer per number of heads and scale, heads outside, with a config per seed", () => {
    expect(plan.racers.map(({ n_heads, scale }) => `${n_heads} ${scale}`)).toEqual([
      "1 none",
      "1 1/sqrt(d)",
      "2 none",
      "2 1/sqrt(d)",
    ]);
    expect(plan.racers[3]!.configs).toEqual([
      {
        task: "sort",
        text: "",
        learningRate: "0.001",
        nonFinite: "skip",
        nHeads: "2",
        scale: "1/sqrt(d)",
        seed: "7",
      },
      {
        task: "sort",
        text: "",
        learningRate: "0.001",
        nonFinite: "skip",
        nHeads: "2",
        scale: "1/sqrt(d)",
        seed: "8",
      },
    ]);
  });

  it("records at the end where that comes before the first record", () => {
    expect(racePlan({ ...texts, record_every: "500" }).record_every).toBe(plan.steps);
  });

  it("knows its own settings", () => {
    expect(sameRace(plan, { ...texts })).toBe(true);
    expect(sameRace(plan, { ...texts, seeds: "7" })).toBe(false);
  });

  it("has a decoder where a text is continued, and no text elsewhere", () => {
    const config = (task: string): unknown =>
      racePlan({ ...texts, task, text: "abc", topology: "encoder" }).racers[0]!.configs[0];
    expect(config("characters")).toMatchObject({ topology: "decoder", text: "abc" });
    expect(config("sort")).toMatchObject({ topology: "encoder", text: "" });
  });

  it("takes up learning rates that change on the way, and says so in its settings", () => {
    const changing = racePlan({ ...texts, rate_changes: "30:0.01, 50:0.1" });
    expect(changing.racers[0]!.configs[0]).not.toHaveProperty("rateChanges");
    expect([0, 29, 30, 49, 50, 90].map((step) => rateAfter(changing, step))).toEqual([
      "0.001",
      "0.001",
      "0.01",
      "0.01",
      "0.1",
      "0.1",
    ]);
    const more = withRate(withRate(changing, 40, 0.02), 50, 0.2);
    expect(more.texts).toEqual({ ...texts, rate_changes: "30:0.01,40:0.02,50:0.2" });
    expect(racePlan(more.texts).rateChanges).toEqual(more.rateChanges);
  });

  it("lets the racers wait for each other at records, where a rate changes, and every few steps", () => {
    const changing = racePlan({ ...texts, record_every: "25", rate_changes: "33:0.01" });
    const meetings: number[] = [];
    for (let steps = 0; steps < 58;) meetings.push((steps = nextMeeting(changing, steps, 58)));
    expect(meetings).toEqual([10, 20, 25, 33, 43, 50, 58]);
  });

  it("looks inside at every record, or at every second, fourth .. of many", () => {
    expect(lookEvery(plan, 60)).toBe(20);
    expect(lookEvery({ ...plan, steps: 10_000, record_every: 10 }, 60)).toBe(320);
    expect(lookEvery(plan, 1)).toBe(160);
  });
});

describe("Race", () => {
  it("runs every racer with its seeds in one worker, to the end", async () => {
    const { race, trainers } = bench();
    void race.run();
    expect(race.status).toBe("opening");
    await vi.advanceTimersByTimeAsync(10);
    expect(race.status).toBe("running");
    await vi.advanceTimersByTimeAsync(500);
    expect(race.status).toBe("done");
    expect(race.steps).toBe(100);
    expect(trainers).toHaveLength(8);
    expect(trainers.filter(({ beside }) => beside === undefined)).toHaveLength(4);
    for (const { beside, config } of trainers.filter((trainer) => trainer.beside)) {
      expect(beside!.config).toEqual({ ...config, seed: "7" });
    }
    for (const racer of race.racers) {
      for (const rows of racer.rows) expect(steps(rows)).toEqual([0, 20, 40, 60, 80, 100]);
      expect([...racer.looks.keys()]).toEqual([0, 20, 40, 60, 80, 100]);
      expect(racer.looks.get(40)!.answers).toHaveLength(4);
    }
  });

  it("pauses after the step at hand and goes on without a gap", async () => {
    const { race, trainers } = bench();
    void race.run();
    await vi.advanceTimersByTimeAsync(50);
    race.pause();
    expect(race.status).toBe("paused");
    await vi.advanceTimersByTimeAsync(10);
    const paused = trainers.map((trainer) => trainer.steps);
    await vi.advanceTimersByTimeAsync(500);
    expect(trainers.map((trainer) => trainer.steps)).toEqual(paused);
    expect(race.racers.every(({ error }) => error === undefined)).toBe(true);
    void race.run();
    await vi.advanceTimersByTimeAsync(500);
    expect(race.status).toBe("done");
    expect(trainers.map((trainer) => trainer.steps)).toEqual(Array(8).fill(100));
    for (const { rows } of race.racers) {
      for (const seed of rows) expect(steps(seed)).toEqual([0, 20, 40, 60, 80, 100]);
    }
  });

  it("keeps all racers at the same step, within the few from meeting to meeting", async () => {
    const { race, trainers } = bench({ n_heads: "1" });
    const spread: number[] = [];
    void race.run();
    for (let time = 0; time < 100; ++time) {
      await vi.advanceTimersByTimeAsync(1);
      const made = trainers.map((trainer) => trainer.steps);
      spread.push(Math.max(...made) - Math.min(...made));
    }
    expect(Math.max(...spread)).toBeLessThanOrEqual(10);
  });

  it("shows every racer at the same step, also where one has got further", async () => {
    const { race } = bench({ n_heads: "1", seeds: "7" });
    void race.run();
    await vi.advanceTimersByTimeAsync(30);
    race.racers[1]!.rows[0]!.push(Float64Array.of(40, 1, 0.5));
    const shown = (): number[][] => race.rows.map(([seed]) => steps(seed!));
    const both = [
      [0, 20],
      [0, 20],
    ];
    expect(shown()).toEqual(both);
    race.pause();
    await vi.advanceTimersByTimeAsync(10);
    expect(race.steps).toBeLessThan(40);
    expect(shown()).toEqual(both);
  });

  it("can be paused while it opens", async () => {
    const { race, trainers } = bench();
    void race.run();
    race.pause();
    await vi.advanceTimersByTimeAsync(100);
    expect(race.status).toBe("paused");
    expect(trainers.every((trainer) => trainer.steps === 0)).toBe(true);
    void race.run();
    await vi.advanceTimersByTimeAsync(500);
    expect(race.status).toBe("done");
    expect(trainers).toHaveLength(8);
  });

  it("steps from record to record", async () => {
    const { race } = bench({ steps: "50" });
    for (const expected of [20, 40, 50]) {
      void race.step();
      await vi.advanceTimersByTimeAsync(200);
      expect(race.steps).toBe(expected);
    }
    expect(race.status).toBe("done");
    void race.step();
    await vi.advanceTimersByTimeAsync(200);
    expect(race.steps).toBe(50);
  });

  it("goes on where one racer fails, and says why", async () => {
    const { race } = bench({ n_heads: "1", seeds: "7" }, (trainer) => {
      if (trainer.config["scale"] === "none") trainer.failsAt = 30;
    });
    void race.run();
    await vi.advanceTimersByTimeAsync(500);
    expect(race.status).toBe("done");
    expect(String(race.racers[0]!.error)).toContain("not finite");
    expect(steps(race.racers[0]!.rows[0]!)).toEqual([0, 20]);
    expect(race.racers[1]!.steps).toBe(100);
    expect(race.steps).toBe(100);
  });

  it("says so where there are no workers to be had", async () => {
    const race = new Race(texts, Promise.reject(new Error("offline")), () => undefined);
    await race.run();
    expect(race.racers.map(({ error }) => String(error))).toEqual(Array(4).fill("Error: offline"));
  });

  it("gives every trainer another learning rate at the same step, which the plan then has", async () => {
    const { race, trainers } = bench();
    const before: number[] = [];
    void race.run();
    await vi.advanceTimersByTimeAsync(35);
    for (const trainer of trainers) {
      const set = trainer.setLearningRate.bind(trainer);
      trainer.setLearningRate = (rate) => {
        before.push(trainer.steps);
        return set(rate);
      };
    }
    const { meeting } = race;
    expect(meeting).toBeGreaterThan(race.steps);
    race.changeLearningRate(0.01);
    await vi.advanceTimersByTimeAsync(500);
    expect(trainers.map((trainer) => trainer.learningRate)).toEqual(Array(8).fill(0.01));
    expect(before).toEqual(Array(8).fill(meeting));
    expect(race.plan.texts).toMatchObject({ rate_changes: `${meeting}:0.01` });
    expect(sameRace(race.plan, { ...texts, rate_changes: `${meeting}:0.01` })).toBe(true);

    // What is then in the link is the same race.
    const again = bench({ rate_changes: `${meeting}:0.01` } as never);
    void again.race.run();
    await vi.advanceTimersByTimeAsync(meeting - 2);
    expect(again.trainers.map((trainer) => trainer.learningRate)).toEqual(Array(8).fill(0.001));
    await vi.advanceTimersByTimeAsync(500);
    expect(again.trainers.map((trainer) => trainer.learningRate)).toEqual(Array(8).fill(0.01));
  });

  it("ends its workers, also those that open later", async () => {
    const { race, trainers, changed } = bench();
    void race.run();
    await vi.advanceTimersByTimeAsync(50);
    race.dispose();
    expect(trainers.every(({ disposed }) => disposed)).toBe(true);
    await vi.advanceTimersByTimeAsync(50);
    changed.mockClear();
    await vi.advanceTimersByTimeAsync(500);
    expect(changed).not.toHaveBeenCalled();

    const other = bench();
    void other.race.run();
    other.race.dispose();
    await vi.advanceTimersByTimeAsync(50);
    expect(other.trainers.every(({ disposed }) => disposed)).toBe(true);
  });
});
