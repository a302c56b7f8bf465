import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { withoutAlignments } from "../../scripts/lib/alignments.mjs";
import { orderFunctions } from "../../scripts/lib/function_order.mjs";
import { numberLocals } from "../../scripts/lib/local_numbers.mjs";
import { pairProducts } from "../../scripts/lib/paired_products.mjs";
import { functionsOf, instructionsOf, sectionsOf, vectors } from "../../scripts/lib/wasm_code.mjs";
import type { Part, WasmFunction } from "../../scripts/lib/wasm_code.mjs";

const built = ["full", "threads", "nn", "ops", "first", "experiments"];
const read = (name: string): Buffer<ArrayBuffer> => readFileSync(`build/wasm/${name}.wasm`);

const functionsIn = (module: Buffer): WasmFunction[] => functionsOf(sectionsOf(module));
const calleeOf = (part: Part): number | undefined => ("call" in part ? part.call : undefined);
/** A part that is no index: what loads and stores say of their addresses is left out. */
const codeOf = (part: Part): string => (Buffer.isBuffer(part) ? part.toString("hex") : "alignment");
const isNumber = (index: number | undefined): index is number => index !== undefined;

/** What does not depend on the order: each function's type, locals and code, without whom it calls. */
const contents = (module: Buffer): string[] =>
  functionsIn(module)
    .map(({ type, locals, parts }) => {
      const code = parts.map((part) =>
        "call" in part ? "call" : "local" in part ? `local ${part.local}` : codeOf(part),
      );
      return [type, locals, code].join();
    })
    .sort();

const callees = (module: Buffer): number[] =>
  functionsIn(module).flatMap(({ parts }) => parts.map(calleeOf).filter(isNumber));

/** What does not depend on the numbers of locals but for parameters: which is used after which, and of what type it is. */
const computed = (module: Buffer): string[] =>
  functionsIn(module).map(({ parameters, locals, parts }) => {
    const places = new Map<number, string>();
    const placeOf = (local: number): string => {
      if (local < parameters) return `parameter ${local}`;
      const known = places.get(local) ?? `local ${places.size} of type ${locals[local - parameters]}`;
      places.set(local, known);
      return known;
    };
    return parts
      .map((part) => ("local" in part ? placeOf(part.local) : "call" in part ? part.call : codeOf(part)))
      .join();
  });

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

test("locals that are parameters, or of several types, are still the same", () => {
  const locals = [3, 1, 0x7c, 1, 0x7f, 1, 0x7c]; // three groups: f64, i32, f64
  const code = [
    ...[...locals, 0x20, 0, 0x21, 2], // i = n
    ...[0x20, 2, 0xb7, 0x21, 3], // x = n as f64
    ...[0x20, 3, 0x20, 3, 0xa2, 0x21, 1], // y = x * x
    ...[0x20, 1, 0x20, 3, 0xa0, 0x0b], // y + x
  ];
  const module = Buffer.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 1, 0x7f, 1, 0x7c), // i32 → f64
    ...section(3, 1, 0),
    ...section(7, 1, ...text("f"), 0, 0),
    ...section(10, 1, code.length, ...code),
  ]);
  const numbered = numberLocals(module);
  // As many of a type as make the next ones begin at a like number.
  expect(functionsIn(numbered)[0]!.locals).toEqual([
    ...Array<number>(8).fill(0x7f),
    ...Array<number>(8).fill(0x7c),
  ]);
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(numbered)).exports as {
    f(n: number): number;
  };
  expect([f(3), f(-2)]).toEqual([12, 2]);
});

test("loads and stores are of the same addresses, aligned or not, and are alike", () => {
  const access = (opcode: number[], alignment: number, offset: number): number[] => [
    ...opcode,
    alignment,
    offset,
  ];
  const code = [
    ...[0x41, 1, 0x20, 0, ...access([0x36], 2, 4)], // memory[5] = x as i32
    ...[0x41, 1, 0x20, 0, 0xfd, 0x11, ...access([0xfd, 0x0b], 4, 31)], // memory[32] = x, x, x, x
    ...[0x41, 0, 0x41, 0, ...access([0xfd, 0x00], 0, 32)], // of them
    ...[...access([0xfd, 0x56], 2, 5), 2], // with memory[5] in lane 2
    ...[0xfd, 0x1b, 2, 0x41, 5, ...access([0x2c], 0, 0), 0x6a], // lane 2 + the byte at 5
  ];
  const module = Buffer.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 1, 0x7f, 1, 0x7f),
    ...section(3, 1, 0),
    ...section(5, 1, 0, 1),
    ...section(7, 1, ...text("f"), 0, 0),
    ...section(10, 1, ...body(...code)),
  ]);
  const without = withoutAlignments(module);
  const said = (of: Buffer): number[] =>
    functionsIn(of)[0]!.parts.flatMap((part) => ("alignment" in part ? [part.alignment] : []));
  expect([said(module), said(without)]).toEqual([
    [2, 4, 0, 2, 0],
    [0, 0, 0, 0, 0],
  ]);
  for (const each of [module, without]) {
    const { f } = new WebAssembly.Instance(new WebAssembly.Module(each)).exports as { f(x: number): number };
    expect([f(1), f(300)]).toEqual([2, 344]);
  }
});

const [multiply, add] = [0xe6, 0xe4].map((opcode) => vectors + opcode);
/** The products and sums of a module's functions, in order. */
const arithmetic = (module: Buffer): string[] =>
  functionsIn(module).map(({ body }) =>
    instructionsOf(body)
      .map(({ opcode }) => (opcode === multiply ? "*" : opcode === add ? "+" : ""))
      .join(""),
  );

describe("of two multiply-adds that follow each other", () => {
  const get = (local: number): number[] => [0x20, local];
  const set = (local: number): number[] => [0x21, local];
  const product = (a: number, b: number): number[] => [...get(a), ...get(b), 0xfd, 0xe6, 1];
  const sum = [0xfd, 0xe4, 1];
  /** x = x + a · b, or a · b + x. */
  const addTo = (x: number, a: number, b: number): number[] => [
    ...get(x),
    ...product(a, b),
    ...sum,
    ...set(x),
  ];
  const addBefore = (x: number, a: number, b: number): number[] => [
    ...product(a, b),
    ...get(x),
    ...sum,
    ...set(x),
  ];
  /** A function of three numbers, in every lane of the locals 3 to 6; the first lanes of `result`. */
  function made(...statements: number[][]): { before: Buffer; after: Buffer; numbers: number[] } {
    const splat = (from: number, to: number): number[] => [...get(from), 0xfd, 0x13, ...set(to)];
    const lane = (of: number): number[] => [...get(of), 0xfd, 0x1f, 0];
    const code = [
      ...[1, 4, 0x7b],
      ...[...splat(0, 3), ...splat(1, 4), ...splat(2, 5), ...splat(0, 6)],
      ...statements.flat(),
      ...[3, 4, 5, 6].flatMap(lane),
      0x0b,
    ];
    const before = Buffer.from([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, 1, 0x60, 3, 0x7d, 0x7d, 0x7d, 4, 0x7d, 0x7d, 0x7d, 0x7d),
      ...section(3, 1, 0),
      ...section(7, 1, ...text("f"), 0, 0),
      ...section(10, 1, code.length, ...code),
    ]);
    const after = pairProducts(before);
    const run = (module: Buffer<ArrayBuffer>): number[] => {
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module));
      return (exports as { f(...x: number[]): number[] }).f(1.5, -2, 0.7);
    };
    expect(run(after)).toEqual(run(before));
    return { before, after, numbers: run(before) };
  }

  test("both products come before both sums", () => {
    const { before, after, numbers } = made(addTo(3, 4, 5), addBefore(6, 4, 4));
    expect([arithmetic(before), arithmetic(after)]).toEqual([["*+*+"], ["**++"]]);
    for (const [i, expected] of [1.5 - 2 * 0.7, -2, 0.7, 5.5].entries())
      expect(numbers[i]).toBeCloseTo(expected, 5);
    expect(arithmetic(made(addTo(3, 4, 5), addTo(4, 5, 5), addTo(6, 5, 5)).after)).toEqual(["**++*+"]);
  });

  test("what needs the first sum stays behind it", () => {
    for (const second of [addTo(3, 5, 5), addTo(6, 3, 5), addBefore(6, 5, 3)])
      expect(arithmetic(made(addTo(3, 4, 5), second).after)).toEqual(["*+*+"]);
  });

  test("what lies between them stays there", () => {
    const between = [...get(5), ...set(4)];
    expect(arithmetic(made(addTo(3, 4, 5), between, addTo(6, 4, 5)).after)).toEqual(["*+*+"]);
  });

  test("a sum of two products, or a product alone, is none", () => {
    const twoProducts = [...product(4, 5), ...product(4, 4), ...sum, ...set(3)];
    const alone = [...product(5, 5), ...set(4)];
    expect(arithmetic(made(twoProducts, alone, addTo(6, 5, 5)).after)).toEqual(["**+**+"]);
  });
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

  test("says nothing of alignments, and else the same", () => {
    expect(contents(withoutAlignments(module))).toEqual(contents(module));
    expect(withoutAlignments(module).equals(module)).toBe(true);
  });

  test("has its products in pairs", () => {
    expect(pairProducts(module).equals(module)).toBe(true);
    // A column of a tile's four rows, times two vectors.
    if (name !== "first") expect(arithmetic(module).join(" ")).toContain("**++".repeat(4));
  });

  test("computes with the same locals under other numbers, parameters under theirs", () => {
    expect(computed(numberLocals(module))).toEqual(computed(module));
  });

  test("asks for nothing but what module.ts gives", () => {
    const asked = WebAssembly.Module.imports(new WebAssembly.Module(module)).map(({ name }) => name);
    const given = ["memory", "_embind_register_function", "sqrtdk_now", "sqrtdk_report"];
    expect(asked.filter((name) => !given.includes(name))).toEqual([]);
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

test("what is built is arranged, of which nothing hangs on chance: again, it would not become 0.5 % smaller", () => {
  const size = (bytes: Buffer): number => brotliCompressSync(bytes).length;
  const arrange = (): Buffer => numberLocals(orderFunctions(withoutAlignments(read("ops"))));
  const arranged = arrange();
  expect(arranged.equals(arrange())).toBe(true);
  expect(size(arranged)).toBeGreaterThan(0.995 * size(read("ops")));
});
