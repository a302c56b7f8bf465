/** The module with nothing said of any address. What it computes stays as it was. */
export function withoutAlignments(module: Buffer): Buffer<ArrayBuffer>;
