// The typed errors. Those of the C++ side arrive with the same names and fields (src/base/errors.h).
import type { ErrorCode } from "./types.ts";

/** What an error says, field by field; `expected` and `got` are language-neutral where possible. */
export interface ErrorFields {
  readonly code: ErrorCode;
  /** The operator, class or experiment, by the name that was called: `"attentionBackward"`, `"EncoderLayer"`. */
  readonly operator: string;
  /** The argument as the caller spells it: `"returnWeights"`; may be empty. */
  readonly argument: string;
  readonly expected: string;
  readonly got: string;
}

/** Base of every error thrown here on purpose. `message` is an English sentence. */
export class SqrtdkError extends Error implements ErrorFields {
  readonly code: ErrorCode;
  readonly operator: string;
  readonly argument: string;
  readonly expected: string;
  readonly got: string;

  constructor(fields: ErrorFields, message = describe(fields), options?: ErrorOptions) {
    super(message, options);
    this.code = fields.code;
    this.operator = fields.operator;
    this.argument = fields.argument;
    this.expected = fields.expected;
    this.got = fields.got;
  }

  /** The class's, of the prototype: so that the stack, which is told as the error is made, begins with it. */
  override get name(): string {
    return this.constructor.name;
  }

  // Every class has one of its own, which minification leaves.
  static override readonly name: string = "SqrtdkError";
}

/** A value outside what is allowed. */
export class ValueError extends SqrtdkError {
  static override readonly name = "ValueError";
}

/** Shapes that do not fit each other. */
export class ShapeError extends SqrtdkError {
  static override readonly name = "ShapeError";
}

/** A file or text that cannot be read. */
export class FormatError extends SqrtdkError {
  static override readonly name = "FormatError";
}

/** The module's memory does not suffice; the module stays usable. */
export class OutOfMemoryError extends SqrtdkError {
  static override readonly name = "OutOfMemoryError";
}

/** A tensor, layer, trainer or the whole instance was used after `dispose`. */
export class DisposedError extends SqrtdkError {
  static override readonly name = "DisposedError";
}

/** A view was used after the module's memory had grown. */
export class StaleViewError extends SqrtdkError {
  static override readonly name = "StaleViewError";
}

/**
 * Worker after worker ended during a call (its script failed, or the browser stopped it); the next call starts a new
 * one.
 */
export class WorkerError extends SqrtdkError {
  static override readonly name = "WorkerError";
}

function describe({ operator, argument, expected, got }: ErrorFields): string {
  const subject = argument ? `${operator}: ${argument}` : operator;
  const wanted = expected && `expected ${expected}`;
  const came = got && `got ${got}`;
  return `${subject}: ${[wanted, came].filter(Boolean).join(", ")}`;
}

/** What a call of an instance throws after its `dispose`. */
export function instanceDisposed(): DisposedError {
  const got = "an instance that was disposed";
  return new DisposedError({ code: "disposed", operator: "load", argument: "", expected: "", got });
}

/** What a cancelled call throws: the signal's reason, or where a callback returned false an `AbortError` of its own. */
export function abortReason(signal?: AbortSignal): Error {
  return signal?.aborted
    ? (signal.reason as Error)
    : new DOMException("The call was cancelled", "AbortError");
}

const classes: Readonly<Record<string, typeof SqrtdkError>> = {
  ValueError,
  ShapeError,
  FormatError,
  OutOfMemory: OutOfMemoryError, // C++'s name
  OutOfMemoryError,
  DisposedError,
  StaleViewError,
  WorkerError,
};

/** The error of the class called `type`; an unknown name gives the base class. */
export function makeError(type: string, fields: ErrorFields, message?: string): SqrtdkError {
  return new (classes[type] ?? SqrtdkError)(fields, message);
}
