import { SqrtdkError } from "../../bindings/entry/full.ts";

/** The typed error that `action` throws. */
export function thrown(action: () => unknown): SqrtdkError {
  try {
    action();
  } catch (error) {
    if (error instanceof SqrtdkError) return error;
    throw error;
  }
  throw new Error(`nothing was thrown by ${String(action)}`);
}

/** Whatever `action` throws. */
export function raised(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error(`nothing was thrown by ${String(action)}`);
}

/** The typed error that `promise` rejects with. */
export async function rejected(promise: Promise<unknown>): Promise<SqrtdkError> {
  const error = await promise.then(
    () => new Error("nothing was thrown"),
    (reason: unknown) => reason,
  );
  if (error instanceof SqrtdkError) return error;
  throw error;
}
