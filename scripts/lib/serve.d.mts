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
  /** Answers that are not files, by path. */
  pages?: Record<string, { type: string; body: string; headers?: Record<string, string> }>;
  /** Changes a file before it is compressed. */
  transform?: (path: string, type: string, body: Buffer) => Buffer | string;
  onRequest?: (path: string) => void;
}): Promise<{ url: string; port: number; close(): Promise<void> }>;
