/** The module with its functions in the order that compresses well, the same bytes for the same module. */
export function orderFunctions(module: Buffer): Buffer<ArrayBuffer>;
