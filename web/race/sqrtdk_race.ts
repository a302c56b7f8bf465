// <sqrtdk-race scale="none,1/sqrt(d)" seeds="0,1">: the training race, live, each racer in a worker of its own. Its
// attributes are the parameters of training_race; before the start it shows the result that was printed. With the
// attribute `stage` it is the stage alone, without settings and without the laboratory's part.
import type { TemplateResult } from "lit/html.js";
import type { RunResult } from "../../bindings/api/types.ts";
import type { FigureState } from "../elements/figure_state.ts";
import { problemOf } from "../elements/problems.ts";
import { Race } from "./race.ts";
import type { Training } from "../elements/setup.ts";
import { isSeen } from "./is_seen.ts";
import { readBet, writeBet } from "./race_bet.ts";
import { saveCheckpoint } from "./race_checkpoint.ts";
import { racePlan, sameRace, type RacePlan } from "./race_plan.ts";
import { InsideChoice } from "./race_inside.ts";
import { lastStep } from "./race_learned.ts";
import { shownRace } from "./race_live.ts";
import { readRuns, runEntries, withRuns, writeRuns, type RunEntry } from "./race_runs.ts";
import { readPrinted } from "./race_printed.ts";
import type { Inside, PrintedMarkup, PrintedRace, RaceActions } from "./race_state.ts";
import { raceView } from "./race_view.ts";
import { raceWord } from "./race_words.ts";
import { settingsRunner } from "./settings_runner.ts";
import { mirror } from "../elements/mirror.ts";
import type { RoomLook } from "../elements/room.ts";
import type { RunListener } from "../elements/runner.ts";
import { Seldom } from "../elements/seldom.ts";
import { SqrtdkFigure, type FigureRunner } from "../elements/sqrtdk_figure.ts";
import { word } from "../words/vocabulary.ts";

/**
 * The training race, live on the reader's device: models with and without the division, side by side.
 *
 * @element sqrtdk-race
 * @attr {boolean} stage - The stage alone: without settings and without the charts below it.
 * @csspart stage - The stage.
 * @csspart lane - A model's lane.
 * @attr {string} result - The address of a finished race that is shown until one starts.
 */
export class SqrtdkRace extends SqrtdkFigure implements RaceActions {
  static override properties = [...SqrtdkFigure.properties.filter((name) => name !== "experiment"), "stage"];
  static {
    mirror(this, [], ["stage"]);
  }
  override readonly tag = "sqrtdk-race";
  /** Whether it is the stage alone. */
  declare stage: boolean;
  #race: Race | undefined;
  #plan: RacePlan | undefined; // of the settings
  #training: Promise<Training> | undefined;
  #here: Training["here"] | undefined;
  #printed: PrintedRace | undefined;
  #markup: PrintedMarkup | undefined; // until what is printed is read
  #inside = new InsideChoice();
  #rate: { text: string | undefined; problem: string } = { text: undefined, problem: "" };
  #bets = { race: "", next: readBet() };
  #runs = readRuns();
  #below: RunResult | undefined; // the result that the charts below the stage show
  #count = 0; // records in the result
  #seen = true;
  #watch: IntersectionObserver | undefined;
  readonly #lanes = new Seldom(() => this.draw());
  readonly #results = new Seldom(() => this.#show(), 300);
  /** In tasks of their own, so that none is long. */
  readonly #charts = new Seldom(() => this.#showBelow(), 1000);

  override get experiment(): string {
    return "training_race";
  }

  protected override roomLook(): RoomLook {
    return { ...super.roomLook(), name: this.stage ? "stage" : this.experiment };
  }

  protected override begin(): Promise<void> {
    if (this.prerendered) {
      this.#markup = {
        show: [...(this.querySelector(".race-show")?.childNodes ?? [])],
        outcome: this.querySelector(".race-outcome")?.textContent ?? "",
      };
      const chosen = this.querySelector<HTMLInputElement>(".race-bet input:checked");
      if (chosen) this.#keepBet(chosen.value); // before the element came alive
    }
    const begun = super.begin();
    this.root.addEventListener("focusout", () => {
      if (this.#rate.problem === "") this.#rate = { text: undefined, problem: "" };
    });
    void this.#readPrinted();
    this.#watch = new IntersectionObserver((entries) => {
      this.#seen = entries.some((entry) => entry.isIntersecting);
      if (this.#race) this.#changed();
    });
    this.#watch.observe(this);
    return begun;
  }

  protected override makeRunner(listener: RunListener): FigureRunner {
    const look = (texts: FigureState["texts"]): void => {
      this.here.experiments.get(this.experiment).work(texts);
      this.#plan = racePlan(texts);
      this.set({ problems: [] });
    };
    return settingsRunner(listener, look, this.pause);
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
      this.#printed = await readPrinted(new URL(address, document.baseURI));
      this.#markup = undefined;
      if (!this.#race) this.set({ result: this.#printed.result });
    } catch {
      // The printed markup stays.
    }
  }

  // What is shown.

  protected override template(figure: FigureState): TemplateResult {
    const known = {
      ...{ race: this.#race, plan: this.#plan, printed: this.#printed },
      ...{ choice: this.#inside, bets: this.#bets, rate: this.#rate },
      ...{ result: this.#raced(), below: this.#below },
    };
    return raceView(
      {
        ...shownRace(known, figure),
        ...{ stageOnly: this.stage, markup: this.#markup, runs: this.#runs },
      },
      this,
    );
  }

  protected override shownTexts(): FigureState["texts"] | undefined {
    const isPrinted =
      !this.#race || this.state.result === this.#printed?.result || this.state.result === undefined;
    return isPrinted ? super.shownTexts() : this.#race?.plan.texts;
  }

  /** The result of the race, once it has records. */
  #raced(): RunResult | undefined {
    return this.#race && this.#count > 0 ? this.state.result : undefined;
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
    this.#charts.stop();
  }

  #show(): void {
    const rows = this.#race?.rows ?? [];
    const count = rows.flat().reduce((sum, { length }) => sum + length, 0);
    if (this.#race && this.#here && count !== this.#count) {
      this.#count = count;
      try {
        const result = this.#here.raceResult(this.#race.plan.texts, rows);
        this.state = { ...this.state, result, placeholder: undefined };
        this.#charts.ask();
      } catch (error) {
        this.state = { ...this.state, problems: [problemOf(error, this.vocabulary)] };
      }
    }
    this.draw();
  }

  /** While the race is on, only where it is seen. */
  #showBelow(): void {
    if (this.#race?.status === "running" && !isSeen(this.root, ".figure-output, .race-inside")) return;
    this.#below = this.state.result;
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
      this.here.experiments.get(this.experiment).work(texts);
    } catch (error) {
      this.set({ problems: [problemOf(error, this.vocabulary)] });
      return false;
    }
    this.#race?.dispose();
    this.#inside = new InsideChoice();
    this.#rate = { text: undefined, problem: "" };
    this.#bets = { ...this.#bets, race: this.#bets.next };
    this.#race = new Race(texts, this.#maker(), () => this.#changed());
    this.#count = 0;
    this.#below = this.state.result;
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
    this.set({ result: this.#printed?.result, problems: [] });
  };

  readonly placeBet = (bet: string): void => {
    this.#keepBet(bet);
    this.requestDraw();
  };

  #keepBet(bet: string): void {
    this.#bets = { ...this.#bets, next: bet };
    writeBet(bet);
  }

  readonly typeRate = (text: string): void => {
    this.#rate = { text, problem: "" };
  };

  /** The race and the settings have it then, and so has the link. */
  readonly setRate = (text: string): void => {
    const race = this.#race;
    if (!race) return;
    try {
      this.here.experiments.get(this.experiment).work({ ...race.plan.texts, learning_rate: text });
    } catch (error) {
      this.#rate = { text, problem: problemOf(error, this.vocabulary).message };
      this.requestDraw();
      return;
    }
    race.changeLearningRate(Number(text));
    this.#rate = { text, problem: "" };
    this.input("rate_changes", race.plan.texts["rate_changes"] ?? "");
  };

  readonly scrub = (index: number): void => {
    const result = this.#raced();
    if (this.#race && result) this.#inside.show(index, this.#race, lastStep(result));
    this.requestDraw();
  };

  readonly choose = (change: Partial<Pick<Inside, "attention" | "head" | "pointed">>): void => {
    this.#inside.choose(change);
    this.requestDraw();
  };

  readonly checkpoint = (lane: number): void => {
    const racer = this.#race?.racers[lane];
    if (!racer) return;
    saveCheckpoint(racer).catch((error: unknown) => this.note(problemOf(error, this.vocabulary).message));
  };

  readonly restoreRun = (id: string): void => {
    const entry = this.#runs.find((run) => run.id === id);
    if (entry) for (const [name, text] of Object.entries(entry.texts)) this.input(name, text);
  };

  readonly removeRun = (id: string): void => {
    this.#keep(this.#runs.filter((run) => run.id !== id));
  };
}
