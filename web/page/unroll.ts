// A long page is laid out when its reader turns to it, or once it has come to rest: until then what is out of sight waits, so
// that a slow phone shows the first screen sooner and can answer. Not where a page opens further down, which needs its length.
const within = ".chapter > :is([prerendered], .guesses)"; // what takes longest in a chapter, apart from the rest of it
const piece = `:is(.chapter, .part, ${within}):not(.unrolled)`;

/** Before there is a page: site.css leaves out of the layout what is out of sight. */
export function rollUp(): void {
  const [visit] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (location.hash || visit?.type !== "navigate") return;
  document.documentElement.classList.add("rolled-up");
  let begun = false;
  const begin = (): void => {
    if (!begun) unroll();
    begun = true;
  };
  /** Of a chapter that is read all is there, so that nothing moves in it. */
  const read = (): void => {
    for (const part of document.querySelectorAll(within)) part.classList.add("unrolled");
    begin();
  };
  for (const sign of ["scroll", "pointerdown", "keydown"]) {
    addEventListener(sign, read, { once: true, capture: true, passive: true });
  }
  addEventListener("load", () => setTimeout(begin, 500));
}

/** One piece a frame. */
function unroll(): void {
  const next = document.querySelector(piece);
  next?.classList.add("unrolled");
  if (next) requestAnimationFrame(() => setTimeout(unroll));
  else document.documentElement.classList.remove("rolled-up");
}
