// Where a module's file comes from: an address, a response, bytes, or what was compiled before.
import { compileAddress, fromResponse, kOther, once } from "./fetch_wasm.ts";
import { unsupported } from "./given.ts";
import { LoadError } from "./load_error.ts";
import { compile } from "./module.ts";

/** An address, what `fetch` gives for one, the bytes, or the compiled module. */
export type WasmSource = string | URL | Response | Promise<Response> | BufferSource | WebAssembly.Module;

/** Compiles a source, each once; a failure is not remembered. Throws `ValueError`, `LoadError`. */
export type Compile = (source: WasmSource | undefined) => Promise<WebAssembly.Module>;

/** `beside` gives the address of the file that lies beside the script. */
export function compilerFor(beside: () => URL): Compile {
  return async (source) => {
    if (source !== undefined) return compileSource(source);
    try {
      source = beside();
    } catch (cause) {
      const got = "this script's own address (blob:, data: or none) does not lead to it";
      throw new LoadError("fetch", "no_base", { got, advice: `${kOther}, or import sqrtdk/single`, cause });
    }
    return compileSource(source);
  };
}

const byObject = new WeakMap<object, Promise<WebAssembly.Module>>();

export async function compileSource(source: WasmSource): Promise<WebAssembly.Module> {
  if (isKind(source, "WebAssembly.Module")) return source;
  if (typeof source === "string" || source instanceof URL) return compileAddress(source);
  if (ArrayBuffer.isView(source) || isKind(source, "ArrayBuffer")) {
    return once(byObject, source, () => compile(source as BufferSource));
  }
  if (isKind(source, "Response") || isKind(source, "Promise")) {
    // A copy, since its body can be read only once.
    return once(byObject, source, () =>
      fromResponse(async () => (await (source as Promise<Response>)).clone()),
    );
  }
  throw unsupported("load", "wasm", "an address, a Response, bytes or a WebAssembly.Module", source);
}

/** Of any realm. */
function isKind(value: unknown, kind: string): boolean {
  return Object.prototype.toString.call(value) === `[object ${kind}]`;
}
