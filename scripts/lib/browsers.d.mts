/** The first of these programs that is there: paths, or names that are looked for in PATH. */
export function findProgram(candidates: readonly string[]): string;
/** The browser's program: that in the variable CHROMIUM or FIREFOX, or what Debian and others call it. */
export function findBrowser(engine: "chromium" | "firefox"): string;
/** Without a window, network or sandbox, and without what Chromium does beside the page. */
export const chromiumFlags: string[];
