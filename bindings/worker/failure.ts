// Errors on their way between the page and its workers.
import { SqrtdkError, makeError } from "../api/errors.ts";
import type { Failure } from "./messages.ts";

/** An error as what can be sent. */
export function failureOf(error: unknown): Failure {
  const { name, message } = error as Error;
  if (!(error instanceof SqrtdkError)) {
    const fields = { code: "internal", operator: "worker", argument: "", expected: "", got: name } as const;
    return { type: "SqrtdkError", fields, message };
  }
  const { code, operator, argument, expected, got } = error;
  return { type: name, fields: { code, operator, argument, expected, got }, message };
}

/** The error that was sent. */
export function errorOf({ type, fields, message }: Failure): SqrtdkError {
  return makeError(type, fields, message);
}
