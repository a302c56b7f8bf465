// The raw functions of the module (bindings.cpp) and the rules of the border: operators are called by their signatures,
// text goes in as bytes, answers come out as bytes, failures as typed errors.
import { OutOfMemory, ValueError, makeError } from "./errors.ts";
import { parse } from "./signature.ts";
import type { AnswerOf, Given, Parsed, Pointer, RawArgument, RawBytes } from "./signature.ts";
import type { ErrorCode } from "./types.ts";

/** 0 when done; 1 when it failed and `answer` holds the error's fields. */
type Status = number;

/** What the module has beside its operators. Returned views are valid until the next call. */
export interface Raw {
  answer(): Uint8Array;
  bytes(pointer: Pointer, n: number): Uint8Array;
  floats(pointer: Pointer, n: number): Float32Array;
  /** 64-byte aligned; 0 where there is not enough memory. */
  allocate(bytes: number): Pointer;
  release(pointer: Pointer): void;
  /** Once for a module: what operators that report call. It tells whether to go on, and must not throw. */
  report_to(callback: (number: number) => boolean): void;
}

// The kinds of arguments, as in arguments.h.
const [kNone, kNumber, kText, kBytes, kTensor] = [0, 1, 2, 3, 4];

/** Most numbers that the arguments of an operator come to. */
const kMaxNumbers = 2047;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // U+FEFF is text like any other
const encoder = new TextEncoder();

/** The module's memory and answers. */
export class Border {
  readonly raw: Raw;
  #block: { pointer: Pointer; numbers: Float64Array } | undefined;
  #report: ((number: number) => boolean) | undefined;

  constructor(raw: Raw) {
    this.raw = raw;
    raw.report_to((number) => this.#report?.(number) ?? true);
  }

  /** Calls an operator. Throws what it reports, and `OutOfMemory`. */
  call<Signature extends string>(signature: Signature, given: Given<Signature>): AnswerOf<Signature> {
    const parsed = parse(signature);
    const operators = this.raw as unknown as Readonly<Record<string, (given: Pointer) => Status>>;
    const status = operators[parsed.name]!(this.#place(parsed, given));
    if (status !== 0) this.#fail();
    return this.#answers[parsed.answer]() as AnswerOf<Signature>;
  }

  /** Runs `body`, in which the calls of operators report to `report`. */
  reporting<T>(report: (number: number) => boolean, body: () => T): T {
    const outer = this.#report;
    this.#report = report;
    try {
      return body();
    } finally {
      this.#report = outer;
    }
  }

  readonly #answers = {
    void: () => undefined,
    text: () => decoder.decode(this.raw.answer()),
    number: () => parseFloat(this.#answers.text()),
    handle: () => parseFloat(this.#answers.text()),
    bytes: () => this.raw.answer().slice(),
    numbers: () => new Float64Array(this.raw.answer().slice().buffer),
    attention: () => undefined,
  };

  #fail(): never {
    const fields = this.#answers.text().split("\0");
    const [type = "", code = "internal", operator = "", argument = "", expected = "", got = "", message] =
      fields;
    throw makeError(type, { code: code as ErrorCode, operator, argument, expected, got }, message);
  }

  /** Puts the arguments of an operator where C++ reads them, call after call. */
  #place({ name: operator, order }: Parsed, given: Readonly<Record<string, RawArgument>>): Pointer {
    const { pointer, numbers } = this.#argumentBlock(operator);
    let end = 1;
    for (const name of order) end = write(given[name], numbers, end);
    if (end > numbers.length) {
      const fields = { code: "too_many", operator, argument: "arguments", got: `${end - 1}` } as const;
      throw new ValueError({ ...fields, expected: `at most ${kMaxNumbers} numbers` });
    }
    numbers[0] = end - 1;
    return pointer;
  }

  #argumentBlock(operator: string): { pointer: Pointer; numbers: Float64Array } {
    const size = 1 + kMaxNumbers;
    const pointer = this.#block?.pointer ?? this.allocate(operator, 8 * size);
    if (!this.#block?.numbers.length) {
      // There is none yet, or the memory has grown, which cuts off views.
      const { buffer, byteOffset } = this.raw.bytes(pointer, 8 * size);
      this.#block = { pointer, numbers: new Float64Array(buffer, byteOffset, size) };
    }
    return this.#block;
  }

  /** Throws `OutOfMemory`. */
  allocate(operator: string, bytes: number): Pointer {
    const pointer = this.raw.allocate(bytes);
    if (pointer === 0) throw this.outOfMemory(operator, bytes);
    return pointer;
  }

  outOfMemory(operator: string, bytes: number): OutOfMemory {
    const fields = { operator, argument: "", expected: "", got: String(bytes) };
    const message = `${operator}: out of memory, ${bytes} bytes asked for`;
    return new OutOfMemory({ code: "out_of_memory", ...fields }, message);
  }

  /** Calls `use` with a copy of `bytes` in the module's memory. Throws `OutOfMemory`. */
  withBytes<T>(operator: string, bytes: Uint8Array, use: (placed: RawBytes) => T): T {
    const pointer = this.allocate(operator, bytes.length);
    try {
      this.raw.bytes(pointer, bytes.length).set(bytes);
      return use({ pointer, size: bytes.length });
    } finally {
      this.raw.release(pointer);
    }
  }

  withText<T>(operator: string, text: string, use: (placed: RawBytes) => T): T {
    return this.withBytes(operator, encoder.encode(text), use);
  }
}

/**
 * Writes an argument, which begins with its kind, to numbers[n], numbers[n + 1] .. and returns the index behind it. Beyond
 * the end nothing is written, but counted, so that it is noticed. Runs at each call: makes no lists.
 */
function write(argument: RawArgument, numbers: Float64Array, n: number): number {
  if (argument === undefined) {
    numbers[n++] = kNone;
  } else if (typeof argument === "bigint") {
    numbers[n++] = kNumber;
    numbers[n++] = Number(argument & 0xffffffffn);
    numbers[n++] = kNumber;
    numbers[n++] = Number(argument >> 32n);
  } else if (typeof argument === "string") {
    const bytes = encoder.encode(argument.slice(0, kMaxNumbers));
    numbers[n++] = kText;
    numbers[n++] = bytes.length;
    for (const byte of bytes) numbers[n++] = byte;
  } else if (typeof argument !== "object") {
    numbers[n++] = kNumber;
    numbers[n++] = Number(argument);
  } else if ("shape" in argument) {
    numbers[n++] = kTensor;
    numbers[n++] = argument.pointer;
    numbers[n++] = argument.shape.length;
    for (const dimension of argument.shape) numbers[n++] = dimension;
  } else if ("size" in argument) {
    numbers[n++] = kBytes;
    numbers[n++] = argument.pointer;
    numbers[n++] = argument.size;
  } else {
    for (let i = 0; i < argument.length && n <= numbers.length; ++i) n = write(argument[i], numbers, n);
  }
  return n;
}
