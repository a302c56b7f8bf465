// Opening the worker where the page's policies allow it.
import type { ModuleWorker, WorkerLike } from "./messages.ts";

/** Where worker.js is, its text (for pages that hold everything in one file), or a function that opens it. */
export type WorkerSource = string | URL | { readonly source: string } | (() => WorkerLike);

interface TrustedTypes {
  readonly defaultPolicy: unknown;
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy;
}

interface Policy {
  createScriptURL(url: string): string;
}

let policy: Policy | undefined;
const blobUrls = new Map<string, string>();

/** Throws where workers are forbidden or missing. */
export function openWorker(source: WorkerSource): ModuleWorker {
  if (typeof source === "function") return source();
  return new Worker(trusted(urlOf(source)), { type: "module" });
}

/** Where a page requires Trusted Types and has no default policy, an address needs one: `sqrtdk`, if allowed. */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes || trustedTypes.defaultPolicy) return url;
  try {
    policy ??= trustedTypes.createPolicy("sqrtdk", { createScriptURL: (address) => address });
  } catch {
    return url; // the page allows no such policy: it may not require Trusted Types either
  }
  return policy.createScriptURL(url);
}

function urlOf(source: Exclude<WorkerSource, () => WorkerLike>): string {
  if (typeof source === "string" || source instanceof URL) return String(source);
  const text = source.source;
  const url = blobUrls.get(text) ?? URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  blobUrls.set(text, url);
  return url;
}
