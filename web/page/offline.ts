// What the service worker is told: to keep what this visit has loaded, and, when a reader presses the button, the rest.

/** What was loaded before the worker could see it: kept from the browser's own cache. */
export async function keepVisited(): Promise<void> {
  const { active } = await navigator.serviceWorker.ready;
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  active?.postMessage({ visited: [location.href.replace(/#.*/, ""), ...loaded] });
}

/** The button that keeps everything. */
export function offerKeeping(): void {
  const box = document.querySelector<HTMLElement>(".keep-offline");
  const button = box?.querySelector("button");
  const status = box?.querySelector<HTMLElement>('[role="status"]');
  if (!box || !button || !status) return;
  box.hidden = false;
  button.addEventListener("click", () => {
    button.disabled = true;
    void keepAll((share) => {
      status.textContent = `${Math.floor(100 * share)} %`;
    }).then((kept) => {
      button.disabled = kept;
      status.textContent = (kept ? box.dataset["kept"] : box.dataset["failed"]) ?? "";
    });
  });
}

interface Reply {
  share: number;
  failed?: boolean;
}

async function keepAll(progress: (share: number) => void): Promise<boolean> {
  const { active } = await navigator.serviceWorker.ready;
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data: { share, failed = false } }: MessageEvent<Reply>) => {
      progress(share);
      if (failed || share === 1) {
        port1.close();
        resolve(!failed);
      }
    };
    active?.postMessage({ all: true }, [port2]);
  });
}
