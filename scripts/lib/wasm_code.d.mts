/** Code as it is, the index of a function, that of a local, or what a load or a store says of its address. */
export type Part = Buffer | { call: number } | { local: number } | { alignment: number };

export interface WasmFunction {
  /** Index of its type. */
  type: number;
  /** So many of its locals are parameters. */
  parameters: number;
  /** The types of the others. */
  locals: number[];
  body: Buffer;
  parts: Part[];
}

/** By section: its bytes. */
export function sectionsOf(module: Buffer): Map<number | string, Buffer>;

/** The functions that a WebAssembly module defines. */
export function functionsOf(sections: Map<number | string, Buffer>): WasmFunction[];

/** Added to the opcode of a vector instruction. */
export const vectors: number;

export interface Instruction {
  opcode: number;
  /** Where it lies in the body. */
  from: number;
  end: number;
  /** The local that it means. */
  local: number | undefined;
}

/** A body's instructions. */
export function instructionsOf(body: Buffer): Instruction[];
