import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { whitePng } from "../../../web/page/png.ts";

test("a picture is white of the given opacity, row by row", () => {
  const address = whitePng(2, 3, Uint8Array.of(0, 1, 2, 253, 254, 255));
  const [, base64 = ""] = /^data:image\/png;base64,(.*)$/.exec(address) ?? [];
  const file = Buffer.from(base64, "base64");
  expect(file.subarray(1, 4).toString()).toBe("PNG");
  const header = file.indexOf("IHDR") + 4;
  expect([file.readUInt32BE(header), file.readUInt32BE(header + 4)]).toEqual([3, 2]);
  const data = file.indexOf("IDAT");
  const rows = inflateSync(file.subarray(data + 4, data + 4 + file.readUInt32BE(data - 4)));
  expect([...rows]).toEqual([0, 255, 0, 255, 1, 255, 2, 0, 255, 253, 255, 254, 255, 255]);
});
