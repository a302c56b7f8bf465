// The code of a WebAssembly module, as scripts that arrange it read and write it.

export const custom = 0;
export const types = 1;
export const imports = 2;
export const functions = 3;
export const exports = 7;
export const start = 8;
export const elements = 9;
export const code = 10;

/** Added to the opcode of a vector instruction. */
export const vectors = 0xfd00;

export class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  byte() {
    return this.bytes[this.at++];
  }
  /** LEB128; a signed number is passed over by it, too. */
  number() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
  numbers(count) {
    return Array.from({ length: count }, () => this.number());
  }
  /** The bytes that `read` passes over. */
  bytesOf(read) {
    const from = this.at;
    read();
    return this.bytes.subarray(from, this.at);
  }
  skip(count) {
    this.at += count;
  }
}

export function leb128(value) {
  const bytes = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  return Buffer.from([...bytes, value]);
}

const withLength = (parts) => {
  const bytes = Buffer.concat(parts);
  return Buffer.concat([leb128(bytes.length), bytes]);
};

/** By section: its bytes. What is custom tells of the whole module, but for names. */
export function sectionsOf(module) {
  const reader = new Reader(module, 8);
  const sections = new Map();
  while (reader.at < module.length) {
    const id = reader.byte();
    const length = reader.number();
    const bytes = reader.bytesOf(() => reader.skip(length));
    const name = id === custom ? nameOf(bytes) : "";
    if (name === "name") throw new Error("functions with names cannot be put in order");
    sections.set(id === custom ? name : id, bytes);
  }
  return sections;
}

function nameOf(section) {
  const reader = new Reader(section);
  const length = reader.number();
  return Buffer.from(reader.bytesOf(() => reader.skip(length))).toString();
}

/** The module of these sections; `changed`: what becomes of some, by their ids. */
export function moduleOf(module, sections, changed) {
  const parts = [...sections].flatMap(([id, section]) => [
    Buffer.from([typeof id === "number" ? id : custom]),
    withLength([changed[id]?.(section) ?? section]),
  ]);
  return Buffer.concat([module.subarray(0, 8), ...parts]);
}

/** Passes over what follows an opcode that partsOf does not know. */
function skipOperands(reader, opcode) {
  if (opcode === 0x0e)
    reader.numbers(reader.number() + 1); // br_table
  else if (opcode === 0x11)
    reader.numbers(2); // call_indirect
  else if (opcode === 0x1c)
    reader.numbers(reader.number()); // select with types
  else if (opcode === 0x43)
    reader.skip(4); // f32.const
  else if (opcode === 0x44)
    reader.skip(8); // f64.const
  else if (opcode === 0xfc) skipBulkOperands(reader, reader.number());
  else if (opcode === 0xfe)
    reader.numbers(reader.number() === 3 ? 1 : 2); // atomics: a fence, others
  else if (
    (opcode >= 0x02 && opcode <= 0x04) || // blocks
    (opcode >= 0x06 && opcode <= 0x09) || // exceptions
    (opcode >= 0x0c && opcode <= 0x0d) || // br, br_if
    opcode === 0x18 || // delegate
    (opcode >= 0x20 && opcode <= 0x26) || // variables
    (opcode >= 0x3f && opcode <= 0x42) || // memory's size, constants
    opcode === 0xd0 // ref.null
  )
    reader.number();
}

function skipBulkOperands(reader, opcode) {
  if (opcode >= 8) reader.numbers([8, 10, 12, 14].includes(opcode) ? 2 : 1); // less: conversions
}

/** `access`: passes over what loads and stores have. */
function skipVectorOperands(reader, opcode, access) {
  if (opcode <= 11 || (opcode >= 84 && opcode <= 93)) access();
  if (opcode === 12 || opcode === 13) reader.skip(16); // v128.const, a shuffle
  if ((opcode >= 21 && opcode <= 34) || (opcode >= 84 && opcode <= 91)) reader.skip(1); // a lane
}

/** Its types' numbers of parameters. */
function parametersOf(section) {
  const reader = new Reader(section);
  return Array.from({ length: reader.number() }, () => {
    reader.skip(1); // a function
    const parameters = reader.number();
    reader.skip(parameters);
    reader.skip(reader.number()); // its results
    return parameters;
  });
}

/** Passes over an instruction, with `refer` over an index in it and over what a load or a store says of its address. */
function pass(reader, refer) {
  const access = () => {
    refer("alignment");
    reader.number(); // the offset
  };
  const opcode = reader.byte();
  if (opcode === 0xfd) {
    const vector = reader.number();
    skipVectorOperands(reader, vector, access);
    return vectors + vector;
  }
  if (opcode === 0x10 || opcode === 0xd2)
    refer("call"); // ref.func, too
  else if (opcode >= 0x20 && opcode <= 0x22) refer("local");
  else if (opcode >= 0x28 && opcode <= 0x3e) access();
  else skipOperands(reader, opcode);
  return opcode;
}

/** A body's types of locals but for its parameters, and a reader of the code behind them. */
function localsOf(body) {
  const reader = new Reader(body);
  const locals = [];
  for (let groups = reader.number(); groups > 0; groups--) {
    const count = reader.number();
    const type = reader.byte();
    for (let i = 0; i < count; i++) locals.push(type);
  }
  return { locals, reader };
}

/** A body's instructions: opcode (of a vector's `vectors` more), where each is, and which local it means, if one. */
export function instructionsOf(body) {
  const { reader } = localsOf(body);
  const all = [];
  while (reader.at < body.length) {
    const from = reader.at;
    let local;
    const opcode = pass(reader, (kind) => {
      const index = reader.number();
      if (kind === "local") local = index;
    });
    all.push({ opcode, from, end: reader.at, local });
  }
  return all;
}

/**
 * The types of a body's locals but for its parameters, and its instructions in parts: code, `{ call }`, `{ local }` and
 * `{ alignment }`, of a load or a store, which says that its address is a multiple of 2 to that power.
 */
function partsOf(body) {
  const { locals, reader } = localsOf(body);
  const parts = [];
  let from = reader.at;
  while (reader.at < body.length) {
    pass(reader, (name) => {
      parts.push(body.subarray(from, reader.at), { [name]: reader.number() });
      from = reader.at;
    });
  }
  if (reader.at !== body.length) throw new Error("a function's body does not end with an instruction");
  return { locals, parts: [...parts, body.subarray(from)] };
}

/** The functions that a module defines. */
export function functionsOf(sections) {
  const parameters = parametersOf(sections.get(types));
  const indices = new Reader(sections.get(functions));
  const bodies = new Reader(sections.get(code));
  bodies.number();
  return indices.numbers(indices.number()).map((type) => {
    const length = bodies.number();
    const body = bodies.bytesOf(() => bodies.skip(length));
    return { type, parameters: parameters[type], body, ...partsOf(body) };
  });
}

/** The section of these functions' bodies. */
export function codeOf(all, { newFunction = (index) => index } = {}) {
  const bytesOf = (part) => {
    if (Buffer.isBuffer(part)) return part;
    return leb128(part.call === undefined ? (part.local ?? part.alignment) : newFunction(part.call));
  };
  const bodyOf = ({ locals, parts }) => withLength([declared(locals), ...parts.map(bytesOf)]);
  return Buffer.concat([leb128(all.length), ...all.map(bodyOf)]);
}

/** Those of one type side by side are declared together. */
function declared(locals) {
  const groups = [];
  for (const type of locals) {
    if (groups.at(-1)?.type === type) groups.at(-1).count++;
    else groups.push({ type, count: 1 });
  }
  const bytes = groups.flatMap(({ type, count }) => [leb128(count), Buffer.from([type])]);
  return Buffer.concat([leb128(groups.length), ...bytes]);
}
