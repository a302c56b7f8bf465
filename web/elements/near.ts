/** Calls `bring` once, when an element of this name comes near the window. */
export function whenNear(name: string, bring: () => void): void {
  const elements = document.querySelectorAll(name);
  if (elements.length === 0) return;
  const near = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      near.disconnect();
      bring();
    },
    { rootMargin: "1200px" },
  );
  for (const element of elements) near.observe(element);
}
