// The reader's own q and k from files.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { command, runJson } from "./command.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sqrtdk-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, content: string | Uint8Array) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return "@" + path;
};

/** NumPy's format 1.0, float32. */
function npy(shape: readonly number[], values: readonly number[]): Uint8Array {
  const shapeText = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': ${shapeText}, }`.padEnd(117) + "\n";
  const bytes = Buffer.concat([Buffer.from("\x93NUMPY\x01\0\x76\0", "latin1"), Buffer.from(header)]);
  return Buffer.concat([bytes, Buffer.from(new Float32Array(values).buffer)]);
}

const values = [0.1, -2.5, 3, 1e-3, 7, 0.25];

test("CSV and .npy files are the numbers written out", () => {
  const written = runJson("article_snippet", "--q", "1,-0.5", "--k", "0.1,-2.5;3,0.001;7,0.25");
  expect(written.figures[0]!.series[0]!.y.length).toBe(3);
  const q = file("q.csv", "# the query\n1,-0.5\n");
  for (const k of [
    file("k.csv", "a,b\n0.1,-2.5\n3,0.001\n7,0.25\n"),
    file("k.npy", npy([3, 2], values)),
    file("batch.npy", npy([1, 3, 2], values)),
  ]) {
    const read = runJson("article_snippet", "--q", q, "--k", k);
    expect(read.hash).toBe(written.hash);
    expect(read.params.k).toBe("0.1,-2.5;3,0.001;7,0.25");
  }
  const flat = file("q.npy", npy([2], [1, -0.5]));
  expect(runJson("article_snippet", "--q", flat, "--k", file("k2.npy", npy([3, 2], values))).hash).toBe(
    written.hash,
  );
});

test.each([
  ["missing.npy", undefined, /cannot read/],
  ["cut.npy", npy([3, 2], values).subarray(0, -4), /cut short/],
  ["text.npy", "1,2,3", /./],
  ["ragged.csv", "1,2\n3\n", /./],
  ["empty.csv", "", /k must have/],
  ["nan.npy", npy([1, 2], [1, NaN]), /finite/],
])("%s is refused", (name, content, message) => {
  const path = content === undefined ? "@" + join(folder, name) : file(name, content);
  const { status, stdout, stderr } = command("run", "article_snippet", "--q", "1,2", "--k", path);
  expect(status).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^sqrtdk: article_snippet: k.*\n$/);
  expect(stderr).toMatch(message);
});
