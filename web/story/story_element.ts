// The element of a story's figure: takes over what is printed, runs the experiment, and plays the mechanism.
import { html, type TemplateResult } from "lit/html.js";
import type { RunResult } from "../../bindings/api/types.ts";
import { SqrtdkElement } from "../elements/base_element.ts";
import { isAbort, problemOf } from "../elements/problems.ts";
import { Runner } from "../elements/runner.ts";
import { focusOf } from "../elements/take_over.ts";
import { bringFields } from "./fields.ts";
import { sayer, type Scene, type Settings, type StoryFigure } from "./figure.ts";

const pace = 400; // milliseconds

/** The class of <story-NAME>; `name` also names its settings in the page's address. */
export function storyElement(name: string, figure: StoryFigure): CustomElementConstructor {
  return class extends SqrtdkElement {
    #set: Settings = figure.start;
    #say: Scene["say"] = sayer({});
    #runner!: Runner;
    #problem = "";
    #stale = false; // settings have changed since the last drawing
    #asked = ""; // the parameters of the last run: most settings only choose what of it is shown
    #step = figure.steps?.(figure.start) ?? 0;
    #timer: ReturnType<typeof setTimeout> | undefined;

    get experiment(): string {
      return figure.experiment;
    }

    override connectedCallback(): void {
      bringFields(this);
      super.connectedCallback();
    }

    protected override begin(): void {
      this.#say = sayer(JSON.parse(this.getAttribute("words") ?? "{}") as Record<string, string>);
      this.#runner = new Runner(this.setup.kernels, this.here, figure.experiment, {
        done: (result) => this.#done(result),
        failed: (error) => {
          this.#asked = "";
          if (isAbort(error)) return;
          this.#problem = problemOf(error, this.vocabulary).message;
          this.requestDraw();
        },
        progress: (share) => this.toggleAttribute("busy", share !== undefined),
      });
      const moved = this.#moved();
      this.#set = { ...this.#read(), ...moved };
      const keys = Object.keys(moved);
      // The page's address knows of it from now on: what follows it would else fall back.
      if (keys.length > 0) this.setup.store?.write(name, this.#set, figure.start, keys.join());
      this.#step = this.#last;
      this.#run();
    }

    /** What a reader has moved before the element came alive. */
    #moved(): Settings {
      const moved: Record<string, string> = {};
      for (const key of Object.keys(figure.start)) {
        for (const field of this.querySelectorAll<HTMLInputElement>(`[name="${key}"]`)) {
          const isChoice = field.type === "radio";
          if (isChoice ? field.checked && !field.defaultChecked : field.value !== field.defaultValue)
            moved[key] = field.value;
        }
      }
      return moved;
    }

    protected override view(): TemplateResult {
      const [set, result, step] = [this.#set, this.result!, this.#step];
      const { vocabulary } = this;
      const hands = { change: this.#change, play: this.#play, next: this.#next };
      const playing = this.#timer !== undefined;
      const problem = this.#problem && html`<p class="control-error" role="alert">${this.#problem}</p>`;
      return html`${figure.view({ set, result, step, playing, vocabulary, say: this.#say, ...hands })}${problem}`;
    }

    protected override draw(): void {
      if (!this.result) return; // what is printed stays
      const focus = focusOf(this);
      super.draw();
      focus(this.root);
    }

    protected override follow(): void {
      const set = this.#read();
      if (Object.entries(set).every(([key, text]) => this.#set[key] === text)) return;
      this.#set = set;
      this.#rest();
      this.#stale = true;
      this.requestDraw();
    }

    protected override stop(): void {
      this.#rest();
      if (this.#runner?.cancel()) this.#asked = "";
    }

    protected override beforeDraw(): void {
      if (this.#stale) this.#run();
    }

    #read(): Settings {
      const read = this.setup.store?.read(name, figure.start);
      const problem = read?.problems[0];
      this.#problem = problem ? problemOf(problem, this.vocabulary).message : "";
      return read?.texts ?? figure.start;
    }

    #run(): void {
      this.#stale = false;
      const params = { ...figure.params(this.#set, this.#say) };
      const asked = JSON.stringify(params);
      if (asked === this.#asked) return;
      this.#asked = asked;
      this.#runner.start(params);
    }

    #done(result: RunResult): void {
      this.result = result;
      this.draw();
    }

    readonly #change = (part: Settings): void => {
      this.#set = { ...this.#set, ...part };
      this.#problem = "";
      this.#stale = true;
      this.#rest();
      this.setup.store?.write(name, this.#set, figure.start, Object.keys(part).join());
      this.requestDraw();
    };

    get #last(): number {
      return figure.steps?.(this.#set) ?? 0;
    }

    /** Nothing moves any more; the last step is shown. */
    #rest(): void {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#step = this.#last;
    }

    readonly #play = (): void => {
      this.#rest();
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.#step = still ? this.#last : 0;
      const on = (): void => {
        this.#timer = this.#step < this.#last ? setTimeout(tick, figure.pace ?? pace) : undefined;
        this.requestDraw();
      };
      const tick = (): void => {
        ++this.#step;
        on();
      };
      on();
    };

    readonly #next = (): void => {
      const step = this.#step;
      this.#rest();
      this.#step = step < this.#last ? step + 1 : 0;
      this.requestDraw();
    };
  };
}
