/** A zip archive, the same bytes for the same files; `files`: data by path. */
export function zip(files: Iterable<readonly [path: string, data: string | Uint8Array]>): Buffer;
