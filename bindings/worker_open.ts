// Opening the worker where the page's policies allow it.
import { workerLocation } from "./locations.ts";
import type { WorkerLike } from "./worker_client.ts";

/** Where worker.js is, its text (for pages that hold everything in one file), or a function that opens it. */
export type WorkerSource = string | URL | { readonly source: string } | (() => WorkerLike);

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

let policy: ReturnType<TrustedTypes["createPolicy"]> | undefined;
const blobUrls = new Map<string, string>();

/** Throws where workers are forbidden or missing. */
export function openWorker(source: true | WorkerSource): WorkerLike {
  if (typeof source === "function") return source();
  const url = urlOf(source);
  try {
    return new Worker(url, { type: "module" });
  } catch (error) {
    const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
    if (!(error instanceof TypeError && trustedTypes)) throw error;
    // The page requires Trusted Types and has no default policy for this address.
    policy ??= trustedTypes.createPolicy("sqrtdk", { createScriptURL: (trusted) => trusted });
    return new Worker(policy.createScriptURL(url), { type: "module" });
  }
}

function urlOf(source: true | Exclude<WorkerSource, () => WorkerLike>): string {
  if (source === true) return workerLocation().href;
  if (typeof source === "string" || source instanceof URL) return String(source);
  const text = source.source;
  const url = blobUrls.get(text) ?? URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  blobUrls.set(text, url);
  return url;
}
