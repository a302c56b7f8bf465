// One small interface over the three engines' ways of being driven.

export interface PageOptions {
  /** The browser's preferred language. */
  lang?: "en" | "zh";
  dark?: boolean;
  reducedMotion?: boolean;
  /** The window's size in CSS pixels. WebKit's window is never narrower than 447. */
  width?: number;
  height?: number;
  /** false turns the page's scripts off. */
  javascript?: boolean;
}

export interface Page {
  goto(url: string): Promise<void>;
  /** Runs `fn` in the page; arguments and result travel as JSON; a promise is awaited. */
  evaluate<A extends unknown[], T>(fn: (...args: A) => T | Promise<T>, ...args: A): Promise<T>;
  /** Runs a script's text in the page. */
  run(source: string): Promise<void>;
  /** Clicks the middle of the element with the pointer. */
  click(selector: string): Promise<void>;
  /** Types into the element that has the focus. */
  type(text: string): Promise<void>;
  /** Presses one key, e.g. "Tab", "ArrowRight", "Enter", once or several times. */
  press(key: string, times?: number): Promise<void>;
  /** Where the engine can: other options of the page that is there, of those not named the defaults. */
  change?(options: Omit<PageOptions, "lang" | "javascript">): Promise<void>;
  screenshot(path?: string): Promise<Buffer>;
  /** What went wrong so far on this page: console errors, uncaught errors, violations of the CSP. */
  problems(): Promise<string[]>;
  close(): Promise<void>;
}

export interface Engine {
  readonly name: "chromium" | "firefox" | "webkit";
  open(options?: PageOptions): Promise<Page>;
  close(): Promise<void>;
}

/** Says an error when the driver, not the page, left a question unanswered; see the configuration's `retry`. */
export const lostReply = "the driver lost a reply";

/** The text of a call of `fn`, to be evaluated in the page. */
export function callText(fn: (...args: never[]) => unknown, args: readonly unknown[]): string {
  return `(${fn.toString()})(...${JSON.stringify(args)})`;
}
