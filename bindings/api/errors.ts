// The typed errors. Those of the C++ side arrive with the same names and fields (src/base/errors.h).
import type { ErrorCode } from "./types.ts";

/** What an error says, field by field; `expected` and `got` are language-neutral where possible. */
export interface ErrorFields {
  readonly code: ErrorCode;
  /** The operator or experiment, e.g. `"matmul"`. */
  readonly operator: string;
  /** The argument's name; may be empty. */
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
    this.name = new.target.className;
    this.code = fields.code;
    this.operator = fields.operator;
    this.argument = fields.argument;
    this.expected = fields.expected;
    this.got = fields.got;
  }

  /** The class's name, also after minification. */
  static readonly className: string = "SqrtdkError";
}

/** A value outside what is allowed. */
export class ValueError extends SqrtdkError {
  static override readonly className = "ValueError";
}

/** Shapes that do not fit each other. */
export class ShapeError extends SqrtdkError {
  static override readonly className = "ShapeError";
}

/** A file or text that cannot be read. */
export class FormatError extends SqrtdkError {
  static override readonly className = "FormatError";
}

/** The module's memory does not suffice; the module stays usable. */
export class OutOfMemory extends SqrtdkError {
  static override readonly className = "OutOfMemory";
}

/** The signal was aborted, or `onProgress` returned false. */
export class Cancelled extends SqrtdkError {
  static override readonly className = "Cancelled";
}

/** A tensor was used after `dispose`, or a view after disposal or growth of the memory. */
export class StaleViewError extends SqrtdkError {
  static override readonly className = "StaleViewError";
}

/**
 * Worker after worker ended during a call (its script failed, or the browser stopped it); the next call starts a new
 * one.
 */
export class WorkerError extends SqrtdkError {
  static override readonly className = "WorkerError";
}

export type LoadStep = "fetch" | "compile" | "instantiate";

/** The module could not be loaded; `step` says where it failed, `cause` why. `load` may be called again. */
export class LoadError extends SqrtdkError {
  static override readonly className = "LoadError";
  readonly step: LoadStep;

  constructor(step: LoadStep, got: string, cause?: unknown) {
    super(
      { code: "load_failed", operator: "load", argument: step, expected: "", got },
      `load: could not ${step} the WebAssembly module: ${got}`,
      { cause },
    );
    this.step = step;
  }
}

function describe({ operator, argument, expected, got }: ErrorFields): string {
  const subject = argument ? `${operator}: ${argument}` : operator;
  const wanted = expected && `expected ${expected}`;
  const came = got && `got ${got}`;
  return `${subject}: ${[wanted, came].filter(Boolean).join(", ")}`;
}

const classes: Readonly<Record<string, typeof SqrtdkError>> = {
  ValueError,
  ShapeError,
  FormatError,
  OutOfMemory,
  Cancelled,
  StaleViewError,
};

/** The error of the class called `type`; an unknown name gives the base class. */
export function makeError(type: string, fields: ErrorFields, message?: string): SqrtdkError {
  return new (classes[type] ?? SqrtdkError)(fields, message);
}
