import { render } from "@lit-labs/ssr";
import { collectResultSync } from "@lit-labs/ssr/lib/render-result.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Figure } from "../../../bindings/api/types.ts";
import { Race } from "../../../web/race/race.ts";
import { summary } from "../../../web/charts/summary.ts";
import { stillState } from "../../../web/elements/figure_state.ts";
import { InsideChoice } from "../../../web/race/race_inside.ts";
import { shownRace, type Known } from "../../../web/race/race_live.ts";
import { printedText } from "../../../web/race/race_printed.ts";
import { noRaceActions, type PrintedRace, type RaceState } from "../../../web/race/race_state.ts";
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
async function paused(change: Record<string, string> = {}): Promise<RaceState> {
  const training = fakeTraining();
  const texts = { ...raceTexts, ...change };
  const race = new Race(texts, training.worker(), () => undefined);
  for (let record = 0; record < 2; ++record) {
    void race.step();
    await vi.advanceTimersByTimeAsync(200);
  }
  const result = training.here.raceResult(texts, race.rows);
  const run = { id: "a", texts: { ...texts, steps: "50" }, scale: "none", n_heads: "1", steps: 40 };
  const known: Known = {
    ...{ race, result, below: result, plan: race.plan, printed: undefined, choice: new InsideChoice() },
    ...{ bets: { race: "", next: "" }, rate: { text: undefined, problem: "" } },
  };
  return {
    ...shownRace(known, { ...stillState(raceDescription, result, en), texts }),
    stageOnly: false,
    runs: [{ ...run, steps_to_90: null, accuracy: 0.5, hash: "0123456789abcdef" }],
  };
}

/** The name of the button that starts and pauses. */
function runButton(state: RaceState): string {
  return /-run"[^>]*>([^<]*)</.exec(text(state))?.[1]?.trim() ?? "";
}

/** The finished race as a page prints it. */
async function printed(): Promise<PrintedRace> {
  const training = fakeTraining();
  const race = new Race(raceTexts, training.worker(), () => undefined);
  void race.run();
  await vi.advanceTimersByTimeAsync(1000);
  const result = training.here.raceResult(raceTexts, race.rows);
  return { result, looks: race.racers.map((racer) => racer.looks.get(100)!) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("raceView", () => {
  it("prints the finished race: what each has learned, its answer, its map, and the curve", async () => {
    const finished = await printed();
    const markup = text(stillRace(raceDescription, finished, en));
    expect(markup).toMatch(/id="training_race-figure-run"[^>]*>\s*Start\s*</);
    expect(all(markup, /class="race-percent">([^<]*)</g)).toEqual(["39.3%", "81.1%"]);
    expect(all(markup, /(class="race-map")/g)).toHaveLength(2);
    expect(all(markup, /class="race-answer">(.*?)<\/div>/gs)).toHaveLength(2);
    expect(all(markup, /(class="chart-svg")/g)).toHaveLength(2); // accuracy on the stage, loss below
    expect(markup).not.toContain("race-inside");
    expect(markup).not.toContain("race-begun");
    expect(markup).toMatch(/type="range"[^>]*id="training_race-figure-scrub"[^>]*disabled/);
    // What a page reads again is the same, digit for digit.
    const again = JSON.parse(printedText(finished)) as PrintedRace;
    expect(again.looks[1]!.maps[0]!.weights).toEqual([...finished.looks[1]!.maps[0]!.weights]);
  });

  it("shows a race under way: what was learned by one step, answers right and wrong, maps, and the runs", async () => {
    const markup = text(await paused());
    expect(markup).toMatch(/id="training_race-figure-run"[^>]*>\s*Continue\s*</);
    expect(markup).toContain("race-begun");
    expect(all(markup, /class="race-percent">([^<]*)</g)).toEqual(["18.1%", "48.7%"]);
    expect(all(markup, /class="race-learned" width="([\d.]+)"/g)).toEqual(["18.1", "48.7"]);
    expect(all(markup, /(class="race-map")/g)).toHaveLength(2);
    expect(all(markup, /(class="heat")/g)).toHaveLength(2); // one head each, of the first layer
    expect(all(markup, /class="heat"\s+tabindex="(-?\d)"/g)).toEqual(["0", "-1"]); // one stop of the Tab key
    expect(markup).toContain("2 of 4 right");
    expect(markup).toMatch(/<s class="race-token race-wrong"\s*>.*?>wrong <\/span\s*>e<\/s/s);
    expect(all(markup, /aria-valuetext="([^"]+)"/g)).toContain("step 40 of 100");
    expect(markup).toContain("not reached");
  });

  it("shows the stage alone where it stands in a story", async () => {
    const state = await paused();
    const markup = text({ ...state, stageOnly: true });
    expect(markup).toContain("race-map");
    expect(markup).toContain("training_race-figure-scrub");
    for (const part of ["race-settings", "race-inside", "race-runs", "figure-output", "race-buttons"])
      expect(markup).not.toContain(part);
    const problems = [{ argument: "steps", message: "Steps: a number, please" }];
    expect(text({ ...state, stageOnly: true, figure: { ...state.figure, problems } })).toContain("please");
  });

  it("opens the settings where one of them is wrong, and cannot be bet on while the race is on", async () => {
    const state = await paused();
    expect(text(state)).toMatch(/<fieldset class="race-bet" disabled/);
    expect(text({ ...state, status: "done" })).not.toMatch(/<fieldset class="race-bet" disabled/);
    expect(text({ ...state, bet: state.lanes[1]!.bet })).toMatch(
      /id="training_race-figure-bet-1"[^>]* checked/,
    );
  });

  it("shows what each model writes as text, which is neither right nor wrong", async () => {
    const state = await paused();
    const answer = { source: ["T"], expected: [..."his is\nX"], answer: [..."he the\nY"] };
    const lanes = state.lanes.map((lane) => ({ ...lane, look: { maps: [], answers: [answer] } }));
    const markup = text({ ...state, task: "characters", lanes });
    expect(markup).toContain("he the⏎\nY");
    expect(markup).not.toContain("race-wrong");
    expect(markup).not.toContain(" right<");
  });

  it("starts anew, and does not pause, once its settings have changed while it is on", async () => {
    const state = { ...(await paused()), status: "running" as const };
    expect(runButton(state)).toBe("Pause");
    const changed = { ...state, stale: true };
    expect(runButton(changed)).toBe("Start");
    expect(text(changed)).toContain("Start begins anew with them");
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
    // The caption of that chart names them as well.
    const caption = summary(steps, en).replaceAll(/[\u2060\u200b\u00a0]/g, (space) =>
      space === "\u00a0" ? " " : "",
    );
    expect(caption).toMatch(/unscaled 200 \(no value at d_k = 64, 128\)/);
    expect(caption).toMatch(/1\/d 100 \(no value at d_k = 8\)/);
    expect(caption).toMatch(/1\/√d from 125 to 175[,.]/);
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
    const markup = text(await paused({ n_heads: "2" }));
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
    const state = await paused({ n_heads: "16" });
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
