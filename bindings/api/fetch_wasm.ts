// A module's file from its address.
import { fetchFile } from "#platform/fetch_file.ts";
import { LoadError } from "./load_error.ts";
import { compile, messageOf } from "./module.ts";

export const kOther = "Pass load({ wasm }) the file's address, its bytes or a Response";

const byAddress = new Map<string, Promise<WebAssembly.Module>>();

/** Each address once; a failure is not remembered. Throws `LoadError`. */
export function compileAddress(source: string | URL): Promise<WebAssembly.Module> {
  const address = String(source);
  return once(byAddress, address, () => fromResponse(() => fetchFile(source), address));
}

/** What has been compiled. */
interface Known<Key> {
  get(key: Key): Promise<WebAssembly.Module> | undefined;
  set(key: Key, module: Promise<WebAssembly.Module>): unknown;
  delete(key: Key): boolean;
}

export function once<Key>(
  made: Known<Key>,
  key: Key,
  make: () => Promise<WebAssembly.Module>,
): Promise<WebAssembly.Module> {
  const known = made.get(key);
  if (known) return known;
  const module = make().catch((error: unknown) => {
    made.delete(key);
    throw error;
  });
  made.set(key, module);
  return module;
}

/** While it comes where the server says what it is; else, or where that fails, from all its bytes, which are looked at. */
export async function fromResponse(open: () => Promise<Response>, given = ""): Promise<WebAssembly.Module> {
  const [response, address, type] = await answered(open, given);
  if (type.startsWith("application/wasm") && WebAssembly.compileStreaming) {
    const module = await WebAssembly.compileStreaming(response).catch(() => undefined);
    if (module) return module;
  }
  const [whole] = response.bodyUsed ? await answered(open, given) : [response];
  const bytes = new Uint8Array(await fetching(() => whole.arrayBuffer(), address));
  if (isWasm(bytes)) return compile(bytes, address);
  const got = `what came${type && ` as ${type}`} is no WebAssembly, but begins with ${beginning(bytes)}`;
  throw new LoadError("compile", "not_wasm", {
    got,
    address,
    advice: `Put the package's file there. ${kOther}`,
  });
}

/** The response, its address and its type. */
async function answered(open: () => Promise<Response>, given: string): Promise<[Response, string, string]> {
  const response = await fetching(open, given);
  const address = given || response.url;
  if (!response.ok) {
    const got = response.status
      ? `the server answered ${response.status} ${response.statusText}`.trim()
      : response.type;
    throw new LoadError("fetch", "http", { got, address, advice: `Put the package's file there. ${kOther}` });
  }
  return [response, address, response.headers.get("Content-Type") ?? ""];
}

async function fetching<T>(action: () => Promise<T>, address: string): Promise<T> {
  let isForbidden = false;
  const note = ({ effectiveDirective }: { readonly effectiveDirective?: string }): void => {
    isForbidden ||= effectiveDirective === "connect-src";
  };
  const { addEventListener, removeEventListener } = globalThis as Partial<typeof globalThis>;
  addEventListener?.("securitypolicyviolation", note);
  try {
    return await action();
  } catch (cause) {
    await new Promise((resolve) => setTimeout(resolve)); // the event comes after the failure
    const reason = isForbidden ? "csp" : "network";
    const isFile = (globalThis as { location?: Location }).location?.protocol === "file:";
    const advice = isForbidden
      ? "Allow its origin in connect-src of the page's policy"
      : isFile
        ? "A page that was opened from a file may fetch none: import sqrtdk/single"
        : `Is it there, and does its server allow other origins (CORS)? ${kOther}`;
    throw new LoadError("fetch", reason, { got: messageOf(cause), address, advice, cause });
  } finally {
    removeEventListener?.("securitypolicyviolation", note);
  }
}

/** Begins as every WebAssembly file does. */
function isWasm(bytes: Uint8Array): boolean {
  return [0, 97, 115, 109].every((byte, i) => bytes[i] === byte);
}

/** The first words, or the first bytes where they are no text. */
function beginning(bytes: Uint8Array): string {
  if (bytes.length === 0) return "nothing";
  const text = new TextDecoder().decode(bytes.subarray(0, 60));
  if (!/[\0-\x08\x0e-\x1f\ufffd]/.test(text.slice(0, -1))) return JSON.stringify(text);
  return `bytes ${Array.from(bytes.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join(" ")}`;
}
