// The wire format of protocol buffers: a message is the concatenation of its fields.
// protobuf.dev/programming-guides/encoding

/** A whole number (negative ones as 64 bits). */
export const integer = (field, value) => [...tag(field, 0), ...varint(value)];

export const float = (field, value) => [...tag(field, 5), ...new Uint8Array(Float32Array.of(value).buffer)];

/** Text, bytes or a message. */
export function bytes(field, value) {
  const content = typeof value === "string" ? new TextEncoder().encode(value) : value;
  return concatenate(tag(field, 2), varint(content.length), content);
}

export function concatenate(...parts) {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

const tag = (field, wireType) => varint(field * 8 + wireType);

function varint(value) {
  const groups = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) groups.push(Number(rest & 127n) | 128);
  return [...groups, Number(rest)];
}
