// From bytes to the running module.
import { LoadError } from "./load_error.ts";
import type { LoadReason, LoadStep } from "./load_error.ts";
import type { Raw } from "./raw.ts";
import type { Pointer } from "./signature.ts";

interface Exports {
  /** Where it has one of its own. */
  readonly memory?: WebAssembly.Memory;
  readonly __indirect_function_table: WebAssembly.Table;
  __wasm_call_ctors(): void;
}

/** What Embind registers beside the operators. */
interface Registered {
  answer_at(): Pointer;
  answer_size(): number;
  allocate(bytes: number): Pointer;
  release(pointer: Pointer): void;
}

/** `address` is where the bytes came from. Throws `LoadError`. */
export function compile(bytes: BufferSource, address?: string): Promise<WebAssembly.Module> {
  return attempt("compile", () => WebAssembly.compile(bytes), address);
}

/** Starts a module, of its own memory unless it is built for a shared one. Throws `LoadError`. */
export function instantiate(module: WebAssembly.Module, shared?: WebAssembly.Memory): Promise<Raw> {
  return attempt("instantiate", async () => {
    const registered = {} as Registered & Record<string, unknown>;
    let report: ((number: number) => boolean) | undefined;
    const env = {
      ...(shared && { memory: shared }),
      sqrtdk_now: () => performance.now(),
      sqrtdk_report: (number: number) => report!(number),
      /** Embind's, of functions of numbers alone: `invoker`, which is in the table, calls `target`. */
      _embind_register_function: (
        ...[name, , , , invoker, target]: [Pointer, number, Pointer, Pointer, number, Pointer]
      ) => {
        const call = exports.__indirect_function_table.get(invoker) as (target: Pointer) => number;
        registered[textAt(name)] = call.bind(null, target);
      },
    };
    const exports = (await WebAssembly.instantiate(module, { env })).exports as unknown as Exports;
    const memory = shared ?? exports.memory!;
    const bytes = (pointer: Pointer, n?: number): Uint8Array<ArrayBuffer> =>
      new Uint8Array(memory.buffer, pointer, n);
    const textAt = (pointer: Pointer): string => {
      const from = bytes(pointer);
      return String.fromCharCode(...from.subarray(0, from.indexOf(0)));
    };
    exports.__wasm_call_ctors();
    return Object.assign(registered, {
      answer: () => {
        const answer = bytes(registered.answer_at(), registered.answer_size());
        return shared ? answer.slice() : answer; // browsers' decoders take no shared memory
      },
      bytes,
      floats: (pointer: Pointer, n: number) => new Float32Array(memory.buffer, pointer, n),
      report_to: (callback: (number: number) => boolean) => {
        report = callback;
      },
    });
  });
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
