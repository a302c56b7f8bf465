import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { functionsOf, orderFunctions } from "../../scripts/lib/function_order.mjs";

const built = ["full", "threads", "nn", "ops", "first", "experiments"];
const read = (name: string): Buffer<ArrayBuffer> => readFileSync(`build/wasm/${name}.wasm`);

/** What does not depend on the order: each function's type and code, without whom it calls. */
const contents = (module: Buffer): string[] =>
  functionsOf(module)
    .map(({ type, parts }) =>
      [type, ...parts.map((part) => (typeof part === "number" ? "call" : part.toString("hex")))].join(),
    )
    .sort();

const callees = (module: Buffer): number[] =>
  functionsOf(module).flatMap(({ parts }) => parts.filter((part) => typeof part === "number"));

// The parts of a module, each shorter than 128 bytes.
const section = (id: number, ...bytes: number[]): number[] => [id, bytes.length, ...bytes];
const text = (name: string): number[] => [name.length, ...Buffer.from(name)];
const body = (...code: number[]): number[] => [code.length + 2, 0, ...code, 0x0b];

/** Four functions: two by name, one of which calls the others, one in the table and one that starts the module. */
const small = Buffer.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, 2, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 0, 0), // i32 → i32; nothing
  ...section(2, 1, ...text("m"), ...text("twice"), 0, 0),
  ...section(3, 4, 0, 0, 1, 0),
  ...section(4, 1, 0x70, 0, 1),
  ...section(6, 1, 0x7f, 1, 0x41, 0, 0x0b),
  ...section(7, 2, ...text("all"), 0, 1, ...text("next"), 0, 4),
  ...section(8, 3),
  ...section(9, 1, 0, 0x41, 0, 0x0b, 1, 2),
  ...section(
    10,
    4,
    ...body(0x20, 0, 0x10, 4, 0x10, 4, 0x10, 0, 0x41, 0, 0x11, 0, 0), // table[0](twice(next(next(x))))
    ...body(0x20, 0, 0x23, 0, 0x6c), // x · global
    ...body(0x41, 10, 0x24, 0), // global = 10
    ...body(0x20, 0, 0x41, 1, 0x6a), // x + 1
  ),
]);

test("functions that are imported, called, exported, in the table or first to run are still the same", () => {
  const ordered = orderFunctions(small);
  expect(ordered).not.toEqual(small);
  for (const module of [small, ordered]) {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module), {
      m: { twice: (x: number) => 2 * x },
    });
    const { all, next } = exports as Record<string, (x: number) => number>;
    expect([all!(3), next!(3)]).toEqual([100, 4]);
  }
});

test("a module with names is refused: they are by index", () => {
  const named = Buffer.concat([small, Buffer.from(section(0, ...text("name")))]);
  expect(() => orderFunctions(named)).toThrow("names");
});

describe.each(built)("the module %s", (name) => {
  const module = read(name);
  const ordered = orderFunctions(module);

  test("keeps what it imports, exports and holds, in any order", () => {
    const [before, after] = [new WebAssembly.Module(module), new WebAssembly.Module(ordered)];
    expect(WebAssembly.Module.exports(after)).toEqual(WebAssembly.Module.exports(before));
    expect(WebAssembly.Module.imports(after)).toEqual(WebAssembly.Module.imports(before));
    expect(contents(ordered)).toEqual(contents(module));
  });

  test("calls as many functions as often", () => {
    const counts = (indices: number[]) => {
      const times = new Map<number, number>();
      for (const index of indices) times.set(index, (times.get(index) ?? 0) + 1);
      return [...times.values()].sort((a, b) => a - b);
    };
    expect(counts(callees(ordered))).toEqual(counts(callees(module)));
  });
});

test("what is built is ordered, of which nothing hangs on chance: again, it would not become 0.5 % smaller", () => {
  const size = (bytes: Buffer): number => brotliCompressSync(bytes).length;
  const ordered = orderFunctions(read("ops"));
  expect(ordered.equals(orderFunctions(read("ops")))).toBe(true);
  expect(size(ordered)).toBeGreaterThan(0.995 * size(read("ops")));
});
