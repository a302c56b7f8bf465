import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { zip } from "../../scripts/lib/zip.mjs";

const files: [string, string | Buffer][] = [
  ["b/é.txt", "text"],
  ["a.bin", Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251))],
  ["empty", ""],
];

test("an archive is read by another program, file by file", () => {
  const folder = mkdtempSync(join(tmpdir(), "sqrtdk-zip-"));
  const archive = join(folder, "a.zip");
  writeFileSync(archive, zip(files));
  const program = `import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps({info.filename: archive.read(info).hex() for info in archive.infolist()}))`;
  const read = JSON.parse(execFileSync("python3", ["-c", program, archive], { encoding: "utf8" })) as object;
  rmSync(folder, { recursive: true });
  expect(read).toEqual(
    Object.fromEntries(files.map(([name, data]) => [name, Buffer.from(data).toString("hex")])),
  );
});

test("the same files give the same bytes, in whatever order they come", () => {
  expect(zip([...files].reverse())).toEqual(zip(files));
});
