// From bytes to the running module.
import { LoadError } from "./load_error.ts";
import type { LoadReason, LoadStep } from "./load_error.ts";
import type { Raw } from "./raw.ts";
import type { Pointer } from "./signature.ts";

/** What Embind registers beside the operators, and what embind_functions.js adds. */
interface Registered {
  /** All of the memory: cut off when it grows. */
  heap(): Uint8Array<ArrayBuffer>;
  answer_at(): Pointer;
  answer_size(): number;
  allocate(bytes: number): Pointer;
  release(pointer: Pointer): void;
  report?: (number: number) => boolean;
}

/** The function that Emscripten generates for a module. */
export type Glue = (options: {
  instantiateWasm: unknown;
  wasmMemory?: WebAssembly.Memory | undefined;
}) => Promise<Registered>;

/** Its operators, and its memory as numbers. */
function rawOf(module: Registered, isShared: boolean): Raw {
  const { heap, answer_at, answer_size } = module;
  const bytes = (pointer: Pointer, n: number): Uint8Array => new Uint8Array(heap().buffer, pointer, n);
  return Object.assign(module, {
    answer: () => {
      const answer = bytes(answer_at(), answer_size());
      return isShared ? answer.slice() : answer; // browsers' decoders take no shared memory
    },
    bytes,
    floats: (pointer: Pointer, n: number) => new Float32Array(heap().buffer, pointer, n),
    report_to: (callback: (number: number) => boolean) => {
      module.report = callback;
    },
  });
}

/** `address` is where the bytes came from. Throws `LoadError`. */
export function compile(bytes: BufferSource, address?: string): Promise<WebAssembly.Module> {
  return attempt("compile", () => WebAssembly.compile(bytes), address);
}

/** Starts a module, of its own memory unless it is built for a shared one. Throws `LoadError`. */
export function instantiate(
  glue: Glue,
  module: WebAssembly.Module,
  memory?: WebAssembly.Memory,
): Promise<Raw> {
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
        glue({ instantiateWasm, ...(memory && { wasmMemory: memory }) }).then(
          (module) => resolve(rawOf(module, memory !== undefined)),
          reject,
        );
      }),
  );
}

async function attempt<T>(step: LoadStep, action: () => Promise<T>, address?: string): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    const got = messageOf(cause);
    const reason = reasonOf(cause, got);
    throw new LoadError(step, reason, { got, address, advice: advice[reason], cause });
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Engines tell by the words of their messages only. */
function reasonOf(error: unknown, message: string): LoadReason {
  if (/content security policy|\bcsp\b/i.test(message)) return "csp";
  if (error instanceof RangeError || /out of memory/i.test(message)) return "memory";
  return isNewEnough() ? "unknown" : "no_simd";
}

const advice: Readonly<Partial<Record<LoadReason, string>>> = {
  csp: "Allow 'wasm-unsafe-eval' in script-src of the page's policy",
  memory: "Close other pages, or dispose of other instances",
  no_simd:
    "WebAssembly with SIMD and exceptions is needed: Chrome 95, Firefox 100, Safari 16.4, or later ones",
};

/** Whether the engine takes a module of one function with a `try` and a vector. */
function isNewEnough(): boolean {
  const head = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0];
  const body = [10, 14, 1, 12, 0, 6, 64, 25, 11, 65, 0, 253, 15, 253, 98, 11];
  return typeof WebAssembly === "object" && WebAssembly.validate(new Uint8Array([...head, ...body]));
}
