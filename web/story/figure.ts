// What a figure of the story is: one record in web/story/figures/, exported as `figure`; walk_home.ts is
// <story-walk-home>. It shows the result of one experiment; what it says is in the chapter.
import type { TemplateResult } from "lit/html.js";
import type { RunResult } from "../../bindings/api/types.ts";
import type { Vocabulary } from "../words/vocabulary.ts";

/** What a reader sets, by name. */
export type Settings = Readonly<Record<string, string>>;

export interface StoryFigure {
  /** Whose result it shows. */
  experiment: string;
  /** The settings with which it is printed; the page's address names those that differ. */
  start: Settings;
  /**
   * The parameters of the run that shows these settings; `say` has what differs between languages. Throws nothing:
   * what is refused, the experiment refuses.
   */
  params(set: Settings, say: Scene["say"]): Settings;
  /** In how many steps its mechanism is watched; printed is the last. Without: nothing moves. */
  steps?(set: Settings): number;
  /** Milliseconds from one step to the next; 400 where it is not said. */
  pace?: number;
  view(scene: Scene): TemplateResult;
  /** On paper, where nothing can be chosen: what is printed of these settings in the place of the one view. */
  paper?: { sets: readonly Settings[]; view(scenes: readonly Scene[]): TemplateResult };
}

/** What is drawn, and what a reader's hands can do. */
export interface Scene {
  set: Settings;
  result: RunResult;
  /** 0 … the figure's steps. */
  step: number;
  playing: boolean;
  /** For charts. */
  vocabulary: Vocabulary;
  /** A word of the chapter with its {placeholders} filled; the word's name where there is none. */
  say(word: string, values?: Readonly<Record<string, string>>): string;
  change(part: Settings): void;
  /** From the first step to the last, by itself; under reduced motion the last at once. */
  play(): void;
  /** One step on; from the last to the first. */
  next(): void;
}

/** `words` are the chapter's, by name. No line ends within an equation. */
export function sayer(words: Readonly<Record<string, string>>): Scene["say"] {
  return (word, values = {}) =>
    (words[word] ?? word)
      .replace(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole)
      .replaceAll(" = ", "\u00a0=\u00a0");
}

/** What follows it stands apart; a full-width stop has room of its own. */
export function apart(sentence: string): string {
  return /[。？！]$/.test(sentence) ? sentence : `${sentence} `;
}

const nothing = (): void => undefined;

/** The figure as it is printed. */
export function stillScene(
  figure: StoryFigure,
  result: RunResult,
  words: Readonly<Record<string, string>>,
  vocabulary: Vocabulary,
): Scene {
  const { start } = figure;
  const hands = { change: nothing, play: nothing, next: nothing };
  return {
    ...{ set: start, result, vocabulary, say: sayer(words), ...hands },
    ...{ step: figure.steps?.(start) ?? 0, playing: false },
  };
}
