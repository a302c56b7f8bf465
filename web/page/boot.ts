// What the page does beyond its elements: they take over their printed markup by themselves.
import "./trusted_types.ts";
import "./define.ts";
import { offerKeeping, keepVisited } from "./offline.ts";
import { offerSearch } from "./search.ts";

/** Links inside the page change the place and keep the figure's values, but for those that set them. */
document.addEventListener("click", (event) => {
  const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!plain || !link || event.defaultPrevented) return;
  const values = /&.*$/.exec(location.hash)?.[0] ?? "";
  if (link.id === "other-language") link.hash = location.hash;
  else if (values && link.getAttribute("href")?.startsWith("#") && !link.hash.includes("&")) {
    event.preventDefault();
    location.hash = link.hash + values;
  }
});

/** Code that names a file of this site names it by its full address, so that it works where it is pasted. */
for (const box of document.querySelectorAll<HTMLElement>(".code")) {
  const code = box.querySelector("code");
  const button = box.querySelector("button");
  if (!code || !button || !("clipboard" in navigator)) continue;
  const address = (_: string, relative: string): string =>
    `src="${new URL(relative, document.baseURI).href}"`;
  code.textContent = code.textContent.replace(/src="(\.\.\/[^"]+)"/g, address);
  const name = button.textContent;
  button.hidden = false;
  button.addEventListener("click", () => {
    const say = (text: string): void => void (button.textContent = text);
    navigator.clipboard.writeText(code.textContent).then(
      () => {
        say(button.dataset["copied"] ?? name);
        setTimeout(say, 2000, name);
      },
      () => getSelection()?.selectAllChildren(code), // refused: ready to be copied by hand
    );
  });
}

offerSearch();

const root = document.querySelector<HTMLAnchorElement>(".wordmark a")?.href; // of this language's pages
if (root && "serviceWorker" in navigator && location.protocol.startsWith("http")) {
  const register = (): void => {
    navigator.serviceWorker.register(new URL("../sw.js", root)).then(
      () => {
        void keepVisited();
        offerKeeping();
      },
      (error: unknown) => console.info("This page will not be available offline:", error),
    );
  };
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}
