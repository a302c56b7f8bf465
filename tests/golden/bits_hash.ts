/**
 * Over the bits of all numbers, one array after another: FNV-1a over words, from two starts. It refers to nothing outside
 * itself, so that its text can run in a page.
 */
export function bitsHash(arrays: readonly Float32Array[]): string {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (const data of arrays) {
    const words = new Uint32Array(data.buffer, data.byteOffset, data.length);
    for (const [i, word] of words.entries()) {
      const bits = Number.isNaN(data[i]) ? 0x7fc00000 : word; // engines differ in the payload of a NaN
      a = Math.imul(a ^ bits, 0x01000193);
      b = Math.imul(b ^ bits, 0x01000193) ^ (a >>> 15);
    }
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
