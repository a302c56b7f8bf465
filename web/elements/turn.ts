let last: Promise<void> = Promise.resolve();

/** Resolves in a task of its own, after all who asked before: many elements at once are many short tasks. */
export function turn(): Promise<void> {
  return (last = last.then(() => new Promise((resolve) => setTimeout(resolve))));
}
