export interface Answer {
  type: string;
  body: string | Uint8Array;
  headers?: Record<string, string>;
}

/** Headers: pages are cross-origin isolated, and what they are made of may be part of others' pages. */
export const isolation: Readonly<Record<string, string>>;

/** Starts a server on a free or the given port. */
export function serve(options: {
  /** The folder served at `base`. */
  root: string;
  /** "/" (default) or "/sub/path/". */
  base?: string;
  /** 0 (default): any free port. */
  port?: number;
  host?: string;
  /** More folders: { "/prefix/": folder }. */
  mounts?: Record<string, string>;
  /** Of every file and answer. */
  headers?: Readonly<Record<string, string>>;
  /** The quality of brotli, 0 to 11: 5 (default) takes a moment, 11 is what static hosts store. */
  quality?: number;
  /** Takes precedence over files where it gives something. */
  answer?: (path: string) => Answer | undefined;
  onRequest?: (path: string) => void;
}): Promise<{ url: string; port: number; close(): Promise<void> }>;
