// The built site, served for a test: every page first loads a script that collects what goes wrong.
import { existsSync, readFileSync } from "node:fs";
import { serve, type Answer } from "../../scripts/lib/serve.mjs";

export interface Site {
  /** Address of the site's root, ending in "/". */
  url: string;
  /** Paths asked for so far. */
  requests: string[];
  close(): Promise<void>;
}

// Uncaught errors, console errors and violations of the page's CSP, for engines whose driver has no such end point.
export const problemsScript = `
  globalThis.__problems = [];
  const note = (kind, text) => globalThis.__problems.push(kind + ": " + text);
  addEventListener("error", (event) => note("error", event.message ?? event.target?.src ?? event.target?.href), true);
  addEventListener("unhandledrejection", (event) => note("rejection", event.reason));
  document.addEventListener("securitypolicyviolation", (event) =>
    note("csp", event.violatedDirective + " " + event.blockedURI + " " + event.sourceFile + ":" + event.lineNumber));
  for (const level of ["error", "warn"]) {
    const write = console[level].bind(console);
    console[level] = (...parts) => { note(level, parts.map(String).join(" ")); write(...parts); };
  }
`;

/**
 * The built site at `base`; the built npm package at /package/; `pages`: further HTML and scripts, by path; `quality` of
 * brotli and `headers` as in serve().
 */
export async function startSite(
  base = "/",
  pages: Record<string, string> = {},
  quality?: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Site> {
  const requests: string[] = [];
  const answers: Record<string, Answer> = {
    "/favicon.ico": { type: "image/x-icon", body: "" }, // Chromium asks for it where a page names no icon
  };
  for (const [path, body] of Object.entries({ "/problems.js": problemsScript, ...pages })) {
    answers[path] = path.endsWith(".js")
      ? { type: "text/javascript; charset=utf-8", body }
      : { type: "text/html; charset=utf-8", body: withCollector(body) };
  }
  const { url, close } = await serve({
    root: "build/site",
    base,
    mounts: { "/package/": "build/package" },
    headers,
    ...(quality !== undefined && { quality }),
    answer: (path) => answers[path] ?? pageOf(base, path),
    onRequest: (path) => requests.push(path),
  });
  return { url, requests, close };
}

/** `html` with the collecting script first. */
export function withCollector(html: string): string {
  return html.replace(/<head>|<!doctype html>(?!\s*<html)/i, `$&<script src="/problems.js"></script>`);
}

/** A page of the built site, with the collecting script. */
function pageOf(base: string, path: string): Answer | undefined {
  const file = `build/site/${path.slice(base.length)}index.html`;
  if (!path.startsWith(base) || !path.endsWith("/") || !existsSync(file)) return undefined;
  const html = readFileSync(file, "utf8");
  const type = "text/html; charset=utf-8";
  return { type, body: withCollector(html), headers: { "Cache-Control": "no-cache" } };
}
