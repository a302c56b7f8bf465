// The instances of a module that a page's elements share: one on its thread and one with a worker.

interface Load<Here, Beside> {
  (): Promise<Here>;
  (options: { readonly worker: true }): Promise<Beside>;
}

export interface Loaded<Here, Beside> {
  here(): Promise<Here>;
  beside(): Promise<Beside>;
}

/** Each is made when it is first asked for. */
export function loaded<Here, Beside>(load: Load<Here, Beside>): Loaded<Here, Beside> {
  return { here: once(() => load()), beside: once(() => load({ worker: true })) };
}

/** What `make` makes, once; where it fails, the next call tries again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  const forget = (error: unknown): never => {
    made = undefined;
    throw error;
  };
  return () => (made ??= make().catch(forget));
}
