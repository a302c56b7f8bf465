// <sqrtdk-race scale="none,1/sqrt(d)" seeds="0,1">: the training race, live, each racer in a worker of its own. Its
// attributes are the parameters of training_race; before the start it shows the result that was printed.
import type { TemplateResult } from "lit/html.js";
import type { RunResult } from "../../bindings/api/types.ts";
import { download } from "../elements/exports.ts";
import type { FigureState } from "../elements/figure_state.ts";
import { problemOf } from "../elements/problems.ts";
import { Race } from "./race.ts";
import type { Training } from "../elements/setup.ts";
import { racePlan, sameRace, type RacePlan } from "./race_plan.ts";
import { InsideChoice } from "./race_inside.ts";
import { readRuns, runEntries, withRuns, writeRuns, type RunEntry } from "./race_runs.ts";
import { emptyLanes, type Inside, type RaceActions, type RaceState } from "./race_state.ts";
import { raceView } from "./race_view.ts";
import { raceWord } from "./race_words.ts";
import type { RunListener } from "../elements/runner.ts";
import { Seldom } from "../elements/seldom.ts";
import { SqrtdkFigure, type FigureRunner } from "../elements/sqrtdk_figure.ts";
import { word } from "../words/vocabulary.ts";

export class SqrtdkRace extends SqrtdkFigure implements RaceActions {
  #race: Race | undefined;
  #plan: RacePlan | undefined; // of the settings
  #training: Promise<Training> | undefined;
  #here: Training["here"] | undefined;
  #printed: RunResult | undefined;
  #inside = new InsideChoice();
  #rate = { text: "", problem: "" };
  #runs = readRuns();
  #count = 0; // records in the result
  #seen = true;
  #watch: IntersectionObserver | undefined;
  readonly #lanes = new Seldom(() => this.draw());
  readonly #results = new Seldom(() => this.#show(), 300);

  override get experiment(): string {
    return "training_race";
  }

  protected override begin(): void {
    super.begin();
    void this.#readPrinted();
    this.#watch = new IntersectionObserver((entries) => {
      this.#seen = entries.some((entry) => entry.isIntersecting);
      if (this.#race) this.#changed();
    });
    this.#watch.observe(this);
  }

  /** Nothing runs at a change of the settings: they are only looked at. */
  protected override makeRunner(listener: RunListener): FigureRunner {
    return {
      busy: false,
      start: (texts) => {
        try {
          this.here.experiment(this.experiment).work(texts);
          this.#plan = racePlan(texts);
          this.set({ problems: [] });
        } catch (error) {
          listener.failed(error, texts);
        }
      },
      cancel: () => {
        this.pause();
        return false;
      },
    };
  }

  protected override stop(): void {
    super.stop();
    this.#rest();
    setTimeout(() => {
      if (!this.isConnected) this.clear(); // it was taken away, not moved
    }, 1000);
  }

  async #readPrinted(): Promise<void> {
    const address = this.getAttribute("result");
    if (address === null) return;
    try {
      const response = await fetch(new URL(address, document.baseURI));
      this.#printed = (await response.json()) as RunResult;
      if (!this.#race) this.set({ result: this.#printed });
    } catch {
      // The printed markup stays.
    }
  }

  // What is shown.

  protected override template(figure: FigureState): TemplateResult {
    return raceView(this.#stateOf(figure), this);
  }

  protected override shownTexts(): FigureState["texts"] | undefined {
    const isPrinted = !this.#race || this.state.result === this.#printed || this.state.result === undefined;
    return isPrinted ? super.shownTexts() : this.#race?.plan.texts;
  }

  #stateOf(figure: FigureState): RaceState {
    const race = this.#race;
    const plan = race?.plan ?? this.#plan ?? racePlan(figure.defaults);
    const inside = race && this.#inside.of(race);
    const lanes = emptyLanes(plan, this.vocabulary).map((lane, index) => {
      const racer = race?.racers[index];
      if (!racer) return lane;
      const { steps, restarts, error } = racer;
      const problem = error === undefined ? "" : problemOf(error, this.vocabulary).message;
      const rate = race.status === "running" && steps < plan.steps ? racer.rate : 0;
      return { ...lane, steps, restarts, problem, rate, look: inside && racer.looks.get(inside.step) };
    });
    return {
      figure: { ...figure, cursor: inside?.cursor, changing: race?.status === "running" },
      status: race?.status ?? "ready",
      stale: race !== undefined && !sameRace(race.plan, figure.texts),
      printed: race === undefined && (figure.result ?? this.#printed ?? figure.placeholder) !== undefined,
      total: plan.steps,
      lanes,
      learningRate: this.#rate.text,
      rateProblem: this.#rate.problem,
      inside,
      runs: this.#runs,
    };
  }

  /** Where nobody sees the race, it goes on undrawn. */
  #changed(): void {
    if (!this.#seen) return;
    this.#lanes.ask();
    this.#results.ask();
  }

  #rest(): void {
    this.#lanes.stop();
    this.#results.stop();
  }

  #show(): void {
    const rows = this.#race?.rows ?? [];
    const count = rows.flat().reduce((sum, { length }) => sum + length, 0);
    if (this.#race && this.#here && count !== this.#count) {
      this.#count = count;
      try {
        const result = this.#here.race_result(this.#race.plan.texts, rows);
        this.state = { ...this.state, result, placeholder: undefined };
      } catch (error) {
        this.state = { ...this.state, problems: [problemOf(error, this.vocabulary)] };
      }
    }
    this.draw();
  }

  // What raceView asks for.

  readonly start = (): void => {
    const { texts } = this.state;
    const race = this.#race;
    if (race && race.status === "paused" && sameRace(race.plan, texts)) void this.#follow(race, race.run());
    else if (this.#prepare()) void this.#follow(this.#race!, this.#race!.run());
  };

  readonly step = (): void => {
    const race = this.#race;
    if (race && sameRace(race.plan, this.state.texts)) void this.#follow(race, race.step());
    else if (this.#prepare()) void this.#follow(this.#race!, this.#race!.step());
  };

  readonly pause = (): void => {
    this.#race?.pause();
    this.requestDraw();
  };

  /** A new race with the settings as they are; false where they are wrong. */
  #prepare(): boolean {
    const { texts } = this.state;
    try {
      this.here.experiment(this.experiment).work(texts);
    } catch (error) {
      this.set({ problems: [problemOf(error, this.vocabulary)] });
      return false;
    }
    this.#race?.dispose();
    this.#inside = new InsideChoice();
    this.#rate = { text: texts["learning_rate"] ?? "", problem: "" };
    this.#race = new Race(texts, this.#maker(), () => this.#changed());
    this.#count = 0;
    this.note(raceWord(this.vocabulary, "said_started"));
    this.played();
    return true;
  }

  async #maker(): ReturnType<Training["worker"]> {
    try {
      const training = await (this.#training ??= this.setup.kernels.training());
      this.#here = training.here;
      return await training.worker();
    } catch (error) {
      this.#training = undefined;
      throw error;
    }
  }

  async #follow(race: Race, run: Promise<void>): Promise<void> {
    await run;
    if (race !== this.#race) return;
    this.#results.now();
    const key = race.status === "done" ? "said_done" : "said_paused";
    const verdict = word(this.vocabulary, "verdicts", this.state.result?.verdict ?? "");
    this.note(raceWord(this.vocabulary, key, { step: String(race.steps), verdict }));
    if (race.steps === 0) return;
    const entries = await runEntries(race, this.state.result);
    this.#keep(withRuns(this.#runs, entries));
  }

  #keep(runs: RunEntry[]): void {
    this.#runs = runs;
    writeRuns(runs);
    this.requestDraw();
  }

  readonly clear = (): void => {
    this.#rest();
    this.#race?.dispose();
    this.#race = undefined;
    this.#inside = new InsideChoice();
    this.set({ result: this.#printed, problems: [] });
  };

  readonly typeRate = (text: string): void => {
    this.#rate = { text, problem: "" };
  };

  readonly setRate = (text: string): void => {
    const race = this.#race;
    const failed = (error: unknown): void => {
      this.#rate = { text, problem: problemOf(error, this.vocabulary).message };
      this.requestDraw();
    };
    this.#rate = { text, problem: "" };
    this.requestDraw();
    if (!race) return;
    try {
      this.here.experiment(this.experiment).work({ ...race.plan.texts, learning_rate: text });
      race.setLearningRate(Number(text)).catch(failed);
    } catch (error) {
      failed(error);
    }
  };

  readonly scrub = (index: number): void => {
    if (this.#race) this.#inside.show(index, this.#race);
    this.requestDraw();
  };

  readonly choose = (change: Partial<Pick<Inside, "attention" | "head" | "pointed">>): void => {
    this.#inside.choose(change);
    this.requestDraw();
  };

  readonly checkpoint = (lane: number): void => {
    const racer = this.#race?.racers[lane];
    const name = `training_race-${racer?.plan.scale}-h${racer?.plan.n_heads}-step${racer?.steps}`;
    racer?.checkpoint().then(
      (bytes) => {
        const file = `${name.replace(/[^\w.-]+/g, "_")}.safetensors`;
        if (bytes) download(new Blob([bytes]), file, "application/octet-stream");
      },
      (error: unknown) => this.note(problemOf(error, this.vocabulary).message),
    );
  };

  readonly restoreRun = (id: string): void => {
    const entry = this.#runs.find((run) => run.id === id);
    if (entry) for (const [name, text] of Object.entries(entry.texts)) this.input(name, text);
  };

  readonly removeRun = (id: string): void => {
    this.#keep(this.#runs.filter((run) => run.id !== id));
  };
}
