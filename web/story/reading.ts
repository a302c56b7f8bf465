// A thin line at the window's top that follows the reading; the contents say in which chapter one is.

export function followReading(): void {
  const line = document.querySelector<HTMLElement>(".reading");
  const chapters = [...document.querySelectorAll<HTMLElement>(".chapter")];
  if (!line || chapters.length === 0) return;
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>(".contents a")].map((link) => [
      link.hash.slice(1),
      link,
    ]),
  );
  let frame = 0;
  const draw = (): void => {
    frame = 0;
    const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
    const share = scrollTop / Math.max(1, scrollHeight - clientHeight);
    line.style.setProperty("--read", Math.min(1, share).toFixed(4));
  };
  const request = (): void => {
    frame ||= requestAnimationFrame(draw);
  };
  addEventListener("scroll", request, { passive: true });
  addEventListener("resize", request, { passive: true });
  draw();
  const here = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const link = links.get(target.id);
        if (isIntersecting) link?.setAttribute("aria-current", "true");
        else link?.removeAttribute("aria-current");
      }
    },
    { rootMargin: "-50% 0px" },
  );
  for (const chapter of chapters) here.observe(chapter);
}
