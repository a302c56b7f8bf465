/** The module with alike numbers of locals in like code. The same module gives the same bytes. */
export function numberLocals(module: Buffer): Buffer<ArrayBuffer>;
