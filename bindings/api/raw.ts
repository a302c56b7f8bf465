// The raw functions of the module (bindings.cpp) and the rules of the border: operators are called by their signatures,
// text goes in as bytes, answers come out as bytes, failures as typed errors.
import { camelCase } from "./camel_case.ts";
import { OutOfMemoryError, ValueError, abortReason, instanceDisposed, makeError } from "./errors.ts";
import { flag, numeric } from "./number.ts";
import { parse } from "./signature.ts";
import type { AnswerOf, Given, Parsed, Pointer, RawArgument, RawBytes } from "./signature.ts";
import type { ErrorFields } from "./errors.ts";
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
const [kNone, kNumber, kText, kBytes, kTensor, kList] = [0, 1, 2, 3, 4, 5];

/** Most numbers that the arguments of an operator come to. */
const kMaxNumbers = 2047;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // U+FEFF is text like any other
const encoder = new TextEncoder();

/** The module's memory and answers. */
export class Border {
  raw: Raw;
  disposed = false;
  /** The end of an error's sentence that names what is unknown: what was meant. */
  suggestion: (got: string, expected: string) => string = () => "";
  #block: { pointer: Pointer; numbers: Float64Array } | undefined;
  #report: ((number: number) => boolean) | undefined;

  constructor(raw: Raw) {
    this.raw = raw;
    raw.report_to((number) => this.#report?.(number) ?? true);
  }

  /** Lets the memory go. Every later use throws `DisposedError`. */
  dispose(): void {
    this.disposed = true;
    this.#block = undefined;
    this.raw = new Proxy({} as Raw, {
      get: () => {
        throw instanceDisposed();
      },
    });
  }

  /**
   * Calls an operator. Throws what it reports, and `OutOfMemoryError`; errors name `operator`, which the caller called,
   * or where it is empty what C++ names: an experiment. `names`: of arguments that the caller spells in another way.
   */
  call<Signature extends string>(
    operator: string,
    signature: Signature,
    given: Given<Signature>,
    names: Readonly<Record<string, string>> = {},
  ): AnswerOf<Signature> {
    const parsed = parse(signature);
    const operators = this.raw as unknown as Readonly<Record<string, (given: Pointer) => Status>>;
    const status = operators[parsed.name]!(this.#place(operator, parsed, given));
    if (status !== 0) this.#fail(operator, parsed, names);
    return this.#answers[parsed.answer]() as AnswerOf<Signature>;
  }

  /**
   * Runs `body`, in which the calls of operators report to `report`. They end, and what it throws is thrown, or where it
   * returns false or the signal was aborted the reason.
   */
  reporting<T>(
    report: ((number: number) => unknown) | undefined,
    signal: AbortSignal | undefined,
    body: () => T,
  ): T {
    if (signal?.aborted) throw abortReason(signal);
    const outer = this.#report;
    let thrown: { error: unknown } | undefined;
    this.#report = (number) => {
      try {
        if (report?.(number) === false || signal?.aborted) throw abortReason(signal);
      } catch (error) {
        thrown = { error }; // kept from crossing C++
      }
      return !thrown;
    };
    try {
      return body();
    } catch (error) {
      throw thrown ? thrown.error : error;
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

  #fail(called: string, { ownNames }: Parsed, names: Readonly<Record<string, string>>): never {
    const [type = "", code = "internal", operator = "", argument = "", expected = "", got = "", text = ""] =
      this.#answers.text().split("\0");
    const meant = (had: string, names: string) =>
      code === "unknown_name" ? this.suggestion(had, names) : "";
    if (called === "")
      throw makeError(type, fieldsOf(code, operator, argument, expected, got), text + meant(got, expected));
    const spelled = (name: string): string => (ownNames ? name : camelCase(name));
    const theirs = names[argument] ?? spelled(argument);
    // These may name other arguments. Else what is expected is data: "modular_addition" is a task's name here, too.
    const wanted = ["unsupported", "out_of_range"].includes(code) ? spelled(expected) : expected;
    const message = [
      [operator, called],
      [argument, theirs],
      [expected, wanted],
    ].reduce((said, [from = "", to = ""]) => said.replace(from, () => to), text);
    throw makeError(type, fieldsOf(code, called, theirs, wanted, got), message + meant(got, wanted));
  }

  /** Puts the arguments of an operator where C++ reads them, call after call. */
  #place(operator: string, { name, order }: Parsed, given: Readonly<Record<string, RawArgument>>): Pointer {
    const { pointer, numbers } = this.#argumentBlock(operator);
    let end = 1;
    for (const argument of order) {
      const value = given[argument.name];
      check(operator || name, argument, value);
      end = write(value, numbers, end);
    }
    if (end > numbers.length) {
      const expected = `at most ${kMaxNumbers} numbers`;
      throw new ValueError(fieldsOf("too_many", operator || name, "arguments", expected, `${end - 1}`));
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

  /** Harmless once the instance was disposed. */
  giveBack(pointer: Pointer): void {
    if (!this.disposed) this.raw.release(pointer);
  }

  /** Throws `OutOfMemoryError`. */
  allocate(operator: string, bytes: number): Pointer {
    const pointer = this.raw.allocate(bytes);
    if (pointer === 0) throw this.outOfMemory(operator, bytes);
    return pointer;
  }

  outOfMemory(operator: string, bytes: number): OutOfMemoryError {
    const message = `${operator}: out of memory, ${bytes} bytes asked for`;
    return new OutOfMemoryError(fieldsOf("out_of_memory", operator, "", "", String(bytes)), message);
  }

  /** Calls `use` with a copy of `bytes` in the module's memory. Throws `OutOfMemoryError`. */
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

function fieldsOf(
  code: string,
  operator: string,
  argument: string,
  expected: string,
  got: string,
): ErrorFields {
  return { code: code as ErrorCode, operator, argument, expected, got };
}

/** Numbers and switches as callers without TypeScript may give them. Throws `ValueError`. */
function check(
  operator: string,
  { name, kind, optional }: Parsed["order"][number],
  value: RawArgument,
): void {
  if (optional && value === undefined) return;
  if (kind === "number") numeric(operator, name, value as number);
  if (kind === "flag") flag(operator, name, value as boolean);
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
  } else if ("list" in argument) {
    numbers[n++] = kList;
    numbers[n++] = argument.list.length;
    n = write(argument.list, numbers, n);
  } else {
    for (let i = 0; i < argument.length && n <= numbers.length; ++i) n = write(argument[i], numbers, n);
  }
  return n;
}
