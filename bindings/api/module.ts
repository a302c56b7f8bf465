// From an address or bytes to the running module, with the step that failed.
import { LoadError } from "./errors.ts";
import type { Raw } from "./raw.ts";

/** Where the module comes from; by default kernels.wasm beside this file. */
export interface ModuleSource {
  /** Where the wasm file is; default: beside this file. */
  readonly wasmUrl?: string | URL | undefined;
  /** The bytes of the wasm file: nothing is fetched. */
  readonly wasmBinary?: BufferSource | undefined;
  /** The compiled module: nothing is fetched or compiled. */
  readonly wasmModule?: WebAssembly.Module | undefined;
}

/** The function that Emscripten generates for a module. */
export type Glue = (options: { instantiateWasm: unknown }) => Promise<Raw>;

/** Fetches and compiles; `usual` tells where the wasm file is unless told otherwise. Throws `LoadError`. */
export async function compileModule(
  { wasmUrl, wasmBinary, wasmModule }: ModuleSource,
  usual: () => string | URL | BufferSource,
): Promise<WebAssembly.Module> {
  if (wasmModule) return wasmModule;
  const source = wasmBinary ?? (await attempt("fetch", () => bytesFrom(wasmUrl ?? usual())));
  return attempt("compile", () => WebAssembly.compile(source));
}

/** Starts a module of its own memory. Throws `LoadError`. */
export function instantiate(glue: Glue, module: WebAssembly.Module): Promise<Raw> {
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
        glue({ instantiateWasm }).then(resolve, reject);
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

async function bytesFrom(url: string | URL | BufferSource): Promise<BufferSource> {
  if (typeof url !== "string" && !(url instanceof URL)) return url;
  const { process } = globalThis as { process?: NodeProcess };
  if (process?.getBuiltinModule && String(url).startsWith("file:")) {
    return process.getBuiltinModule("node:fs/promises").readFile(new URL(url)); // Node's fetch reads no files
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText} for ${response.url}`);
  return response.arrayBuffer();
}
