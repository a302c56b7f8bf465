/** The module with pairs of multiply-adds as two products and then two sums. What it computes stays as it was. */
export function pairProducts(module: Buffer): Buffer<ArrayBuffer>;
