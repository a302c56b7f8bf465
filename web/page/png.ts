// Pictures as PNG files in a data: address, for charts that are drawn where there is no canvas.
import { crc32, deflateSync } from "node:zlib";

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** White of this opacity, a byte for each pixel. */
export function whitePng(n_rows: number, n_cols: number, opacity: Uint8Array): string {
  const header = Buffer.from([...new Uint8Array(8), 8, 4, 0, 0, 0]); // 8 bits each of grey and opacity
  header.writeUInt32BE(n_cols, 0);
  header.writeUInt32BE(n_rows, 4);
  const stride = 2 * n_cols + 1; // a row begins with its filter: 0, none
  const rows = Buffer.alloc(n_rows * stride);
  opacity.forEach((each, i) => {
    const at = Math.floor(i / n_cols) * stride + 1 + 2 * (i % n_cols);
    rows[at] = 255;
    rows[at + 1] = each;
  });
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  const data = deflateSync(rows, { level: 9 });
  const file = [signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))];
  return `data:image/png;base64,${Buffer.concat(file).toString("base64")}`;
}
