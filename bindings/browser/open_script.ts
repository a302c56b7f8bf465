// Opening a worker where the page's policies allow it.
import type { ModuleWorker, Script } from "../worker/messages.ts";

interface TrustedTypes {
  readonly defaultPolicy: unknown;
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy;
}

interface Policy {
  createScriptURL(url: string): string;
}

let policy: Policy | undefined;
const blobUrls = new Map<string, string>();

/** Throws where workers are forbidden or missing; whether the script runs is seen later. */
export function openScript(script: Script): ModuleWorker {
  if (typeof script === "object" && "source" in script) return opened(blobOf(script.source), "module");
  const { document, location, origin } = globalThis;
  const url = new URL(script, (document as Document | undefined)?.baseURI ?? location.href);
  if (url.origin === origin) return opened(url.href, "module");
  // A worker's script has to be of the page's origin. It may ask for one of another, which the policy's script-src allows as
  // it does this one; of a module's own imports, worker-src would have to.
  return opened(blobOf(`let url=${JSON.stringify(url.href)};${asking}`), "classic");
}

/** As `trusted`, in the worker. */
const asking =
  'try{url=trustedTypes.createPolicy("sqrtdk",{createScriptURL:a=>a}).createScriptURL(url)}catch{}importScripts(url)';

function opened(url: string, type: WorkerType): ModuleWorker {
  return new Worker(trusted(url), { type });
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

function blobOf(text: string): string {
  const url = blobUrls.get(text) ?? URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  blobUrls.set(text, url);
  return url;
}
