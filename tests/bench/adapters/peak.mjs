// The most that 128-bit arithmetic can do in this browser: eight independent sums += x * y, as in the inner loop of a
// matrix product, in a module written by hand. 64 operations per iteration.
const iterations = 1e5;
export const flopsPerRun = 64 * iterations;

/** Instructions: of `peak(iterations, pointer)`, whose locals 2..9 are sums, 10 and 11 factors, 12 and 13 loads. */
const get = (local) => [0x20, local];
const set = (local) => [0x21, local];
const load = (offset) => [...get(1), 0xfd, 0x00, 4, offset]; // v128.load
const multiply = [0xfd, 0xe6, 0x01]; // f32x4.mul
const add = [0xfd, 0xe4, 0x01]; // f32x4.add
const sums = [2, 3, 4, 5, 6, 7, 8, 9];

const body = [
  ...[1, 14, 0x7b], // locals: 14 of type v128
  ...[...load(0), ...set(10), ...load(16), ...set(11)],
  ...[0x03, 0x40], // loop
  ...[...load(32), ...set(12), ...load(48), ...set(13)],
  ...sums.flatMap((sum, i) => {
    const factor = get(10 + ((i >> 1) & 1));
    return [...get(sum), ...factor, ...get(12 + (i & 1)), ...multiply, ...add, ...set(sum)];
  }),
  ...[...get(0), 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0], // if (--iterations) continue
  0x0b, // end
  ...get(2),
  ...sums.slice(1).flatMap((sum) => [...get(sum), ...add]),
  ...[0xfd, 0x1f, 0], // f32x4.extract_lane 0
  0x0b, // end
];

const leb128 = (n) => (n < 128 ? [n] : [(n & 127) | 128, n >> 7]);
const section = (id, content) => [id, ...leb128(content.length), ...content];
const text = (name) => [name.length, ...new TextEncoder().encode(name)];

const bytes = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // magic number, version
  ...section(1, [1, 0x60, 2, 0x7f, 0x7f, 1, 0x7d]), // types: (i32, i32) -> f32
  ...section(3, [1, 0]), // functions: one of type 0
  ...section(5, [1, 0, 1]), // memories: one page
  ...section(7, [2, ...text("peak"), 0, 0, ...text("memory"), 2, 0]), // exports
  ...section(10, [1, ...leb128(body.length), ...body]), // code
]);

export async function create() {
  const { instance } = await WebAssembly.instantiate(bytes);
  const { peak, memory } = instance.exports;
  new Float32Array(memory.buffer).fill(1e-3); // far from subnormal numbers and infinity
  const result = new Float32Array(1);
  const run = () => result.fill(peak(iterations, 0));
  return { variants: () => [""], prepare: () => ({ run }) };
}
