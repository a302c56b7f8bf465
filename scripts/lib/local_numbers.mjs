// The numbers of the locals in a WebAssembly module's functions. What they compute stays as it was.
import { code, codeOf, functionsOf, moduleOf, sectionsOf } from "./wasm_code.mjs";

/** i32, i64, f32, f64, v128: those of one type stand side by side. */
const typesInOrder = [0x7f, 0x7e, 0x7d, 0x7c, 0x7b];

/**
 * As many of a type are declared as 8, 16, 32 .. if there is one, so that those of the next type begin at like numbers in like
 * functions. What a function does not use costs an optimizing compiler nothing.
 */
const declared = (n) => (n === 0 ? 0 : Math.max(8, 2 ** Math.ceil(Math.log2(n))));

/** So many pieces of code before a local, and after it, are looked at. */
const widths = [
  [1, 0],
  [1, 1],
  [2, 2],
  [4, 4],
  [8, 8],
];

/** By what is around a local: how often it had which number. */
class Habits {
  #pieces = new Map(); // of code, each with a number
  #numbers = new Map();

  /** For each use of a local: what is around it. */
  around({ parts }) {
    const pieces = []; // between locals
    let piece = "";
    const number = () => {
      if (!this.#pieces.has(piece)) this.#pieces.set(piece, this.#pieces.size);
      pieces.push(this.#pieces.get(piece));
      piece = "";
    };
    for (const part of parts) {
      if (part.local !== undefined) number();
      else piece += Buffer.isBuffer(part) ? part.toString("latin1") : JSON.stringify(part);
    }
    number();
    return pieces
      .slice(1)
      .map((_, i) =>
        widths.map(
          ([before, after]) =>
            `${before},${after}:${pieces.slice(Math.max(0, i + 1 - before), i + 1 + after)}`,
        ),
      );
  }

  /** The numbers that locals have there, each with its share of them. */
  shares(around) {
    const known = this.#numbers.get(around);
    if (!known) return [];
    let all = 0;
    for (const times of known.values()) all += times;
    return [...known].map(([number, times]) => [number, times / all]);
  }

  note(around, number) {
    const known = this.#numbers.get(around);
    if (!known) this.#numbers.set(around, new Map([[number, 1]]));
    else known.set(number, (known.get(number) ?? 0) + 1);
  }
}

/** The function with other numbers of its locals: those that locals have in functions before it where the code is alike. */
function renumbered(each, habits) {
  const { parameters, locals, parts } = each;
  const uses = parts.flatMap(({ local }) => (local === undefined ? [] : [local]));
  const around = habits.around(each);
  const typeAt = [
    ...Array(parameters),
    ...typesInOrder.flatMap((type) =>
      Array(declared(locals.filter((each) => each === type).length)).fill(type),
    ),
  ];
  const votes = new Map();
  for (const [i, local] of uses.entries()) {
    if (local < parameters) continue;
    for (const [number, share] of around[i].flatMap((each) => habits.shares(each))) {
      if (typeAt[number] !== locals[local - parameters]) continue;
      const vote = `${local} ${number}`;
      const known = votes.get(vote);
      if (known) known.share += share;
      else votes.set(vote, { local, number, share });
    }
  }
  const numbers = Array.from({ length: parameters }, (_, i) => i);
  const taken = new Set();
  const give = (local, number) => {
    numbers[local] = number;
    taken.add(number);
  };
  for (const { local, number } of [...votes.values()].sort((a, b) => b.share - a.share))
    if (numbers[local] === undefined && !taken.has(number)) give(local, number);
  for (const local of [...uses, ...locals.map((_, i) => parameters + i)]) {
    if (numbers[local] !== undefined) continue;
    const type = locals[local - parameters];
    give(
      local,
      typeAt.findIndex((each, number) => each === type && !taken.has(number)),
    );
  }
  for (const [i, local] of uses.entries()) for (const each of around[i]) habits.note(each, numbers[local]);
  return {
    locals: typeAt.slice(parameters),
    parts: parts.map((part) => (part.local === undefined ? part : { local: numbers[part.local] })),
  };
}

/** The module with alike numbers of locals in like code. The same module gives the same bytes. */
export function numberLocals(module) {
  const sections = sectionsOf(module);
  const habits = new Habits();
  return moduleOf(module, sections, {
    [code]: () => codeOf(functionsOf(sections).map((each) => renumbered(each, habits))),
  });
}
