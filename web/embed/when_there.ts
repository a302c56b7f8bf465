// For elements whose class is loaded only where they are: pages may also add them later.
import { whenNear } from "../elements/near.ts";

/** Calls `bring` once, when the first element of this name comes near the window. */
export function whenThere(name: string, bring: () => void): void {
  if (!("document" in globalThis)) return; // on a server
  const elements = document.getElementsByTagName(name); // live
  if (elements.length > 0) {
    whenNear(name, bring);
    return;
  }
  const changes = new MutationObserver(() => {
    if (elements.length === 0) return;
    changes.disconnect();
    whenNear(name, bring);
  });
  changes.observe(document, { childList: true, subtree: true });
}
