// What comes before the page: whether its address means another one. And what comes after it has been seen: its scripts, for
// all is printed, and what they need would take the place of what is to be shown.
import { rollUp } from "./unroll.ts";

const {
  moved,
  script = "",
  wasm,
} = document.querySelector<HTMLElement>("script[data-script]")?.dataset ?? {};

function start(): void {
  if (wasm) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "preload", as: "fetch", type: "application/wasm", href: wasm });
    link.crossOrigin = ""; // as in fetch()'s default, or the file is loaded twice
    document.head.append(link);
  }
  import(/* @vite-ignore */ new URL(script, document.baseURI).href).catch((error: unknown) =>
    console.info("This page stays as it was printed:", error),
  ); // also where the page is left meanwhile
}

/** Soon after the page is seen: a frame that was asked for takes a while until it is shown, and some are never told of. */
function onceSeen(action: () => void): void {
  if (document.hidden) {
    action(); // where nothing is drawn
    return;
  }
  let due = true;
  const act = (): void => {
    if (due) action();
    due = false;
  };
  const told = PerformanceObserver.supportedEntryTypes.includes("paint");
  if (told) {
    new PerformanceObserver((list) => {
      if (list.getEntriesByName("first-contentful-paint").length > 0) act();
    }).observe({ type: "paint", buffered: true });
  }
  requestAnimationFrame(() => setTimeout(act, told ? 2000 : 0));
}

/** All experiments stood on one page once: "#id&values" still leads to them. */
const section = /^#([^&]*)/.exec(location.hash)?.[1] ?? "";
if (section && moved?.split(" ").includes(section))
  location.replace(section === "about" ? "check/" : `lab/${section}/${location.search}${location.hash}`);
else {
  rollUp();
  addEventListener("DOMContentLoaded", () => onceSeen(start));
}
