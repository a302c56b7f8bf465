// <sqrtdk-check goldens="goldens.json">: runs the library's golden cases on the reader's device and shows their
// hashes beside those of the native command, which the file holds.
import type { TemplateResult } from "lit/html.js";
import { SqrtdkElement } from "../elements/base_element.ts";
import { reportText } from "./check_report.ts";
import { Check, goldensOf } from "./check_run.ts";
import { checkView, countText, type CheckActions } from "./check_view.ts";
import { mirror } from "../elements/mirror.ts";
import type { RoomLook } from "../elements/room.ts";
import { problemOf } from "../elements/problems.ts";
import { Seldom } from "../elements/seldom.ts";
import { ui } from "../words/vocabulary.ts";

/** What the event "change" of a check tells: how many results are those of the native command. */
export interface CheckChange {
  readonly params: { readonly goldens: string };
  readonly result: { readonly status: Check["status"]; readonly same: number; readonly all: number };
}

/**
 * The library's golden cases, run on the reader's device.
 *
 * @element sqrtdk-check
 * @attr {string} goldens - The address of the golden hashes; else those beside the script count, where it has some.
 * @attr {string} lang - "en" or "zh"; else the language of the page around counts.
 * @csspart table - Tables of results.
 * @slot - Stands until the check does, and in its place where it fails.
 * @fires change - A check has ended: `detail.result` has its `status`, and how many of `all` results are the `same`.
 */
export class SqrtdkCheck extends SqrtdkElement implements CheckActions {
  static override properties = ["goldens"];
  static {
    mirror(this, ["goldens"]);
  }
  /** The address of the golden hashes. */
  declare goldens: string;
  #check: Check | undefined;
  #problem = "";
  #note = "";
  readonly #drawings = new Seldom(() => this.draw());

  override get experiment(): string {
    return "kernel_errors";
  }

  protected override roomLook(): RoomLook {
    return { name: "check", heading: false, controls: "none", charts: [], text: () => null };
  }

  protected override begin(): void {
    this.draw();
  }

  protected override follow(): void {
    this.requestDraw();
  }

  protected override stop(): void {
    setTimeout(() => {
      if (!this.isConnected) this.cancel(); // it was taken away, not moved
    }, 1000);
  }

  protected override view(): TemplateResult {
    const { vocabulary } = this;
    return checkView({ vocabulary, check: this.#check, problem: this.#problem, note: this.#note }, this);
  }

  readonly start = (): void => void this.#run();

  async #run(): Promise<void> {
    if (this.#check?.status === "running") return;
    this.#problem = "";
    try {
      const response = await fetch(this.#address());
      if (!response.ok) throw new Error(`${response.status}`);
      const goldens = goldensOf((await response.json()) as Record<string, string>);
      const check = new Check(
        goldens,
        (experiment) => this.setup.kernels.beside(experiment),
        () => this.#drawings.ask(),
      );
      this.#check = check;
      await check.run();
      this.#say(countText({ check, vocabulary: this.vocabulary }));
      const { status, cases } = check;
      const detail: CheckChange = {
        params: { goldens: this.goldens },
        result: { status, same: check.count("same"), all: cases.length },
      };
      this.dispatchEvent(new CustomEvent("change", { detail, bubbles: true, composed: true }));
    } catch (error) {
      this.#problem = problemOf(error, this.vocabulary).message;
    }
    this.#drawings.now();
  }

  #address(): URL {
    const { goldens } = this;
    if (goldens === "" && this.setup.goldens) return this.setup.goldens();
    if (goldens !== "") return new URL(goldens, document.baseURI);
    const fields = { code: "empty", argument: "goldens", expected: "an address", got: "" };
    throw Object.assign(new Error("goldens needs an address"), fields);
  }

  readonly cancel = (): void => this.#check?.cancel();

  readonly copyReport = (): void => {
    const text = this.#check ? reportText(this.#check, navigator.userAgent, new Date()) : "";
    Promise.resolve(navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"))).then(
      () => this.#say(ui(this.vocabulary, "copied")),
      () => this.#say(ui(this.vocabulary, "copy_failed")),
    );
  };

  #say(note: string): void {
    this.#note = note;
    this.requestDraw();
  }
}
