import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Figure } from "../../../bindings/api/types.ts";
import { Race } from "../../../web/race/race.ts";
import { InsideChoice } from "../../../web/race/race_inside.ts";
import { noRaceActions, type RaceState } from "../../../web/race/race_state.ts";
import { raceView, stillRace } from "../../../web/race/race_view.ts";
import { attentionName } from "../../../web/race/race_words.ts";
import { fakeTraining } from "../elements/fixtures/fake_training.ts";
import { vocabularyOf } from "../elements/fixtures/load.ts";
import { raceDescription, raceTexts } from "../elements/fixtures/race_description.ts";

const en = vocabularyOf("en");

function text(state: RaceState): string {
  return collectResultSync(render(raceView(state, noRaceActions))).replace(/<!--.*?-->/gs, "");
}

function all(markup: string, pattern: RegExp): string[] {
  return [...markup.matchAll(pattern)].map((match) => match[1] ?? "");
}

/** A race that was paused at its third record, as the element would show it. */
async function paused(heads = "1"): Promise<RaceState> {
  const training = fakeTraining();
  const texts = { ...raceTexts, n_heads: heads };
  const race = new Race(texts, training.worker(), () => undefined);
  void race.step();
  await vi.advanceTimersByTimeAsync(200);
  void race.step();
  await vi.advanceTimersByTimeAsync(200);
  const result = training.here.race_result(
    texts,
    race.racers.map(({ rows }) => rows),
  );
  const still = stillRace(raceDescription, result, en);
  const inside = new InsideChoice().of(race);
  const lanes = race.racers.map((racer, index) => ({
    ...(still.lanes[index] ?? still.lanes[0]!),
    steps: racer.steps,
    look: racer.looks.get(inside!.step),
  }));
  const run = { id: "a", texts: { ...texts, steps: "50" }, scale: "none", n_heads: "1", steps: 40 };
  const runs = [{ ...run, steps_to_90: null, accuracy: 0.5, hash: "0123456789abcdef", rates: [[20, 0.01]] }];
  return {
    ...still,
    status: "paused",
    printed: false,
    lanes,
    inside,
    runs: runs as unknown as RaceState["runs"],
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("raceView", () => {
  it("prints the start, the lanes and the result of a race that has not begun", async () => {
    const { figure } = await paused();
    const markup = text(stillRace(raceDescription, figure.result!, en));
    expect(markup).toMatch(/id="training_race-figure-run"[^>]*>\s*Start\s*</);
    expect(all(markup, /(class="race-lane )/g)).toHaveLength(2);
    expect(all(markup, /<progress max="100" value="(\d+)"/g)).toEqual(["0", "0"]);
    expect(markup).toContain(en.race["printed"]);
    expect(all(markup, /(class="chart-svg")/g)).toHaveLength(2);
    expect(markup).not.toContain("race-inside");
  });

  it("shows a race under way: steps, answers right and wrong, maps, and the runs", async () => {
    const markup = text(await paused());
    expect(markup).toMatch(/id="training_race-figure-run"[^>]*>\s*Continue\s*</);
    expect(all(markup, /<progress max="100" value="(\d+)"/g)).toEqual(["40", "40"]);
    expect(all(markup, /(class="heat")/g)).toHaveLength(2); // one head each, of the first layer
    expect(markup).toContain("2 of 4 right");
    expect(markup).toMatch(/<s class="race-token race-wrong"\s*>.*?>wrong <\/span\s*>e<\/s/s);
    expect(all(markup, /aria-valuetext="(\d+)"/g)).toContain("40");
    expect(markup).toContain("learning rate 0.01 from step 20 on");
    expect(markup).toContain("not reached");
  });

  it("claims nothing and draws no folded table while the race is on", async () => {
    const state = await paused();
    const { figure } = state;
    const result = { ...figure.result!, verdict: "race_under_way" };
    const markup = text({ ...state, status: "running", figure: { ...figure, result, changing: true } });
    expect(markup).toContain(en.verdicts["race_under_way"]);
    expect(markup).not.toContain("verdict-mark");
    expect(markup).not.toContain('class="tables"');
    expect(text(state)).toContain("verdict-mark");
  });

  it("says who does not reach 90 % at which d_k, as a line shows only who does", async () => {
    const state = await paused();
    const { figure } = state;
    const series = { role: "other" as const, x: [8, 64, 128] };
    const steps: Figure = {
      ...{
        name: "steps_over_d_k",
        at: {},
        kind: "lines",
        x: "d_k",
        y: "steps_to_90",
        log_x: true,
        log_y: false,
      },
      series: [
        { ...series, name: "none", y: [200, null, null] },
        { ...series, name: "1/sqrt(d)", y: [125, 150, 175] },
        { ...series, name: "1/d", y: [null, 100, 100] },
      ],
    };
    const result = { ...figure.result!, figures: [steps] };
    const notes = all(
      text({ ...state, figure: { ...figure, result } }),
      /<p class="figure-note">(.*?)<\/p>/gs,
    );
    expect(notes.filter((note) => note.includes("90%"))).toEqual([
      expect.stringMatching(/: unscaled has not reached 90% at d_k = 64, 128\.$/),
      expect.stringMatching(/: 1\/d has not reached 90% at d_k = 8\.$/),
    ]);
    expect(text(state)).not.toContain("has not reached");
  });

  it("offers checkpoints among what is folded, once there are some", async () => {
    const state = await paused();
    const folded = (markup: string): string =>
      /<details\s+class="apparatus".*?<\/details>(?!.*<\/details>)/s.exec(markup)![0];
    expect(folded(text(state))).toContain('id="training_race-figure-checkpoint-1"');
    expect(text({ ...state, status: "ready" })).not.toContain("-checkpoint-");
  });

  it("names a run's settings as their controls do", async () => {
    const state = await paused();
    const texts = { ...state.runs[0]!.texts, record_every: "7" };
    const markup = text({ ...state, runs: [{ ...state.runs[0]!, texts }] });
    expect(markup).toContain(`${en.params["record_every"]} = 7`);
    expect(markup).not.toContain("record_every =");
  });

  it("gives every control a name, every id once, and needs no inline style", async () => {
    const markup = text(await paused("2"));
    const ids = all(markup, /\sid="([^"]+)"/g);
    expect(ids.filter((one, index) => ids.indexOf(one) !== index)).toEqual([]);
    for (const reference of all(markup, /\s(?:for|aria-labelledby|aria-describedby)="([^"]+)"/g)) {
      expect(ids).toContain(reference);
    }
    const labels = new Set(all(markup, /<label[^>]*\sfor="([^"]+)"/g));
    for (const input of all(markup, /<(?:input|select)\b([^>]*)>/g)) {
      const [id = ""] = all(input, /\bid="([^"]+)"/g);
      const wrapped = new RegExp(`<label[^>]*>(?:(?!</label>).)*id="${id}"`, "s").test(markup);
      expect(input.includes("aria-label=") || labels.has(id) || wrapped, input).toBe(true);
    }
    expect(markup).not.toMatch(/\sstyle=|NaN|undefined|\[object/);
  });

  it("shows one head of many at a time, and lets it be chosen", async () => {
    const state = await paused("16");
    expect(all(text(state), /(class="heat")/g)).toHaveLength(2);
    const chosen = text({ ...state, inside: { ...state.inside!, head: 11 } });
    expect(all(chosen, /<option value="(\d+)" selected/g)).toContain("11");
  });

  it("escapes what tokens and errors bring", async () => {
    const state = await paused();
    const answer = { source: ["<b>"], expected: ["<i>"], answer: ["<script>"] };
    const lanes = state.lanes.map((lane) => ({
      ...lane,
      problem: "<script>",
      look: { maps: [], answers: [answer] },
    }));
    expect(text({ ...state, lanes })).not.toMatch(/<script|<b>|<i>/);
  });
});

describe("the words of the race", () => {
  it("have the same keys in both languages, with the same placeholders", () => {
    const zh = vocabularyOf("zh");
    const shape = (words: Record<string, string>): string[] =>
      Object.entries(words).map(
        ([key, said]) =>
          `${key} ${all(said, /\{(\w+)\}/g)
            .sort()
            .join()}`,
      );
    expect(shape(zh.race)).toEqual(shape(en.race));
  });

  it("name attentions by stack and layer", () => {
    expect(attentionName("layers.0.self_attn", en)).toBe("layer 1");
    expect(attentionName("decoder.layers.1.multihead_attn", en)).toBe("decoder to encoder, layer 2");
    expect(attentionName("other", en)).toBe("other");
  });
});
