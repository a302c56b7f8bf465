// In place of what runs a figure at each change of its settings: those of a race are only looked at.
import type { RunListener } from "../elements/runner.ts";
import type { FigureRunner } from "../elements/sqrtdk_figure.ts";

/** `look` throws where the settings are wrong. */
export function settingsRunner(
  listener: RunListener,
  look: (texts: Readonly<Record<string, string>>) => void,
  cancel: () => void,
): FigureRunner {
  return {
    busy: false,
    computes: false,
    start: (texts) => {
      try {
        look(texts);
      } catch (error) {
        listener.failed(error, texts);
      }
    },
    cancel: () => {
      cancel();
      return false;
    },
  };
}
