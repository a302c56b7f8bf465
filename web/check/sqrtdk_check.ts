// <sqrtdk-check goldens="goldens.json">: runs the library's golden cases on the reader's device and shows their
// hashes beside those of the native command, which the file holds.
import type { TemplateResult } from "lit/html.js";
import { SqrtdkElement } from "../elements/base_element.ts";
import { reportText } from "./check_report.ts";
import { Check, goldensOf } from "./check_run.ts";
import { checkView, countText, type CheckActions } from "./check_view.ts";
import { problemOf } from "../elements/problems.ts";
import { Seldom } from "../elements/seldom.ts";
import { ui } from "../words/vocabulary.ts";

export class SqrtdkCheck extends SqrtdkElement implements CheckActions {
  #check: Check | undefined;
  #problem = "";
  #note = "";
  readonly #drawings = new Seldom(() => this.draw());

  override get experiment(): string {
    return "kernel_errors";
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
      const response = await fetch(new URL(this.getAttribute("goldens") ?? "", document.baseURI));
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
    } catch (error) {
      this.#problem = problemOf(error, this.vocabulary).message;
    }
    this.#drawings.now();
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
