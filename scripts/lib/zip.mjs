// A zip archive of a few files, the same bytes every time: names in order, one date, the deflate of zlib.
import { crc32, deflateRawSync } from "node:zlib";

const date = ((2026 - 1980) << 9) | (1 << 5) | 1; // 1 January 2026, in MS-DOS's form

/** `files`: data by path. */
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [path, data] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const name = Buffer.from(path, "utf8");
    const bytes = Buffer.from(data);
    const packed = deflateRawSync(bytes, { level: 9 });
    const entry = entryOf(name, bytes, packed);
    parts.push(signed(0x04034b50, entry), name, packed);
    directory.push(directoryEntry(entry, offset), name);
    offset += 4 + entry.length + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length / 2, 8);
  end.writeUInt16LE(directory.length / 2, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}

/** What stands before a file's data and again in the directory, from the version on. */
function entryOf(name, bytes, packed) {
  const entry = Buffer.alloc(26);
  entry.writeUInt16LE(20, 0); // the version needed
  entry.writeUInt16LE(0x0800, 2); // names are UTF-8
  entry.writeUInt16LE(8, 4); // deflate
  entry.writeUInt16LE(date, 8);
  entry.writeUInt32LE(crc32(bytes), 10);
  entry.writeUInt32LE(packed.length, 14);
  entry.writeUInt32LE(bytes.length, 18);
  entry.writeUInt16LE(name.length, 22);
  return entry;
}

function directoryEntry(entry, offset) {
  const rest = Buffer.alloc(14); // no comment, first disk, no attributes
  rest.writeUInt32LE(offset, 10);
  const version = Buffer.from([20, 0]);
  return signed(0x02014b50, Buffer.concat([version, entry, rest]));
}

function signed(signature, entry) {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(signature);
  return Buffer.concat([head, entry]);
}
