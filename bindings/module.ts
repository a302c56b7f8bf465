// eslint-disable-next-line @typescript-eslint/triple-slash-reference -- it types a file that is generated
/// <reference path="./glue.d.ts" />
// From an address or bytes to the running module, with the step that failed.
import glue from "../build/wasm/kernels.mjs";
import { LoadError } from "./errors.ts";
import { wasmLocation } from "./locations.ts";
import type { Raw } from "./raw.ts";

export interface ModuleSource {
  /** Where kernels.wasm is; default: beside this file. */
  readonly wasmUrl?: string | URL | undefined;
  /** The bytes of kernels.wasm: nothing is fetched. */
  readonly wasmBinary?: BufferSource | undefined;
  /** The compiled module: nothing is fetched or compiled. */
  readonly wasmModule?: WebAssembly.Module | undefined;
}

type Factory = (options: { instantiateWasm: unknown }) => Promise<Raw>;
const generated: unknown = glue;
const factory = generated as Factory;

/** Fetches and compiles. Throws `LoadError`. */
export async function compileModule({
  wasmUrl,
  wasmBinary,
  wasmModule,
}: ModuleSource): Promise<WebAssembly.Module> {
  if (wasmModule) return wasmModule;
  const source = wasmBinary ?? (await attempt("fetch", () => fetchModule(wasmUrl ?? wasmLocation())));
  return attempt("compile", () => WebAssembly.compile(source));
}

/** Starts a module of its own memory. Throws `LoadError`. */
export function instantiate(module: WebAssembly.Module): Promise<Raw> {
  return attempt(
    "instantiate",
    () =>
      new Promise<Raw>((resolve, reject) => {
        const instantiateWasm = (
          imports: WebAssembly.Imports,
          done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
        ): object => {
          WebAssembly.instantiate(module, imports)
            .then((instance) => done(instance, module))
            .catch(reject);
          return {};
        };
        factory({ instantiateWasm }).then(resolve, reject);
      }),
  );
}

async function attempt<T>(step: LoadError["step"], action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw new LoadError(step, error instanceof Error ? error.message : String(error), error);
  }
}

interface NodeProcess {
  getBuiltinModule?(name: "node:fs/promises"): { readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> };
}

async function fetchModule(url: string | URL): Promise<BufferSource> {
  const { process } = globalThis as { process?: NodeProcess };
  if (process?.getBuiltinModule && String(url).startsWith("file:")) {
    return process.getBuiltinModule("node:fs/promises").readFile(new URL(url)); // Node's fetch reads no files
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText} for ${response.url}`);
  return response.arrayBuffer();
}
