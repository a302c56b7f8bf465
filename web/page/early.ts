// What cannot wait for the page's other scripts: which module to ask for, and which pictures not to.
const sections = document.currentScript?.dataset["sections"]?.split(" ") ?? [];
const wasm = document.currentScript?.dataset["wasm"];

/** The module of the page's first figures, unless the address names a section that needs another. */
const section = /^#([^&]*)/.exec(location.hash)?.[1] ?? "";
if (wasm && document.readyState === "loading" && (section === "" || sections.includes(section))) {
  const link = document.createElement("link");
  Object.assign(link, { rel: "preload", as: "fetch", type: "application/wasm", href: wasm });
  link.crossOrigin = ""; // as in fetch()'s default, or the file is loaded twice
  document.head.append(link);
}

/**
 * The pictures of charts are for readers for whom no element draws the charts. Styles keep them out of every browser's
 * reach while elements may still come; one is let in when it has been in view for so many milliseconds.
 */
const patience = 1000;
document.documentElement.classList.add("scripted");

const timers = new Map<Element, number>();
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    clearTimeout(timers.get(target));
    if (isIntersecting) timers.set(target, window.setTimeout(letIn, patience, target));
  }
});

function letIn(figure: Element): void {
  seen.unobserve(figure);
  timers.delete(figure);
  figure.classList.add("late");
}

function watch(): void {
  for (const picture of document.querySelectorAll("picture")) seen.observe(picture.parentElement!);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", watch);
else watch();

addEventListener("beforeprint", () => {
  for (const image of document.querySelectorAll<HTMLImageElement>("picture > img")) image.loading = "eager";
});
