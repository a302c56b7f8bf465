export interface WasmFunction {
  /** Index of its type. */
  type: number;
  body: Buffer;
  /** The body as calls divide it: a number is a function's index. */
  parts: (Buffer | number)[];
}
/** The functions that a WebAssembly module defines. */
export function functionsOf(module: Buffer): WasmFunction[];

/** The module with its functions in the order that compresses well, the same bytes for the same module. */
export function orderFunctions(module: Buffer): Buffer<ArrayBuffer>;
