// NumPy's files: what is written is read again, here and by NumPy where it is installed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DisposedError, ValueError, load } from "../../bindings/entry/full.ts";
import type { Sqrtdk } from "../../bindings/entry/full.ts";
import { thrown } from "./thrown.ts";

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

const folder = mkdtempSync(join(tmpdir(), "sqrtdk-npy-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const python = [process.env.PYTHON ?? "python3", "/usr/bin/python3"].find(
  (name) => spawnSync(name, ["-c", "import numpy"]).status === 0,
);
const shapes = [[], [1], [7], [0], [3, 4], [2, 0, 3], [2, 3, 1, 2, 1, 5]];

describe("writeNpy", () => {
  it.each(shapes.map((shape) => [shape]))("is read back bit for bit: %j", (shape) => {
    sqrtdk.scope(() => {
      const x = sqrtdk.random.randn(shape, { seed: 1 });
      const bytes = sqrtdk.formats.writeNpy(x);
      expect(bytes.length % 64).toBe((4 * x.size) % 64);
      expect(sqrtdk.formats.readNpy(bytes)).toEqual({ data: x.toArray(), shape });
      expect(sqrtdk.formats.writeNpy(x)).toEqual(bytes);
    });
  });

  it("takes plain numbers, and refuses what is none", () => {
    const bytes = sqrtdk.formats.writeNpy([[1, 2], [3, -0]]); // prettier-ignore
    expect(sqrtdk.formats.readNpy(bytes)).toEqual({ data: Float32Array.of(1, 2, 3, -0), shape: [2, 2] });
    expect(thrown(() => sqrtdk.formats.writeNpy("x" as never))).toBeInstanceOf(ValueError);
    const gone = sqrtdk.ops.zeros([2]);
    gone.dispose();
    expect(thrown(() => sqrtdk.formats.writeNpy(gone))).toBeInstanceOf(DisposedError);
  });

  it.skipIf(python === undefined)("is read by NumPy, every bit of it", () => {
    const program = `
import sys, numpy
for path in sys.argv[1:]:
    x = numpy.load(path, allow_pickle=False)
    print(x.dtype.str, x.flags.c_contiguous, list(x.shape), x.tobytes().hex(), sep=";")
`;
    const special = { data: Float32Array.of(NaN, Infinity, -0, 1e-45), shape: [4] };
    const tensors = [...shapes.map((shape) => sqrtdk.random.randn(shape, { seed: 2 })), special];
    const paths = tensors.map((tensor, i) => {
      const path = join(folder, `${i}.npy`);
      writeFileSync(path, sqrtdk.formats.writeNpy(tensor));
      return path;
    });
    const { stdout, stderr } = spawnSync(python!, ["-c", program, ...paths], { encoding: "utf8" });
    expect(stderr).toBe("");
    const lines = tensors.map((tensor) => {
      const data = "toArray" in tensor ? tensor.toArray() : tensor.data;
      const hex = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("hex");
      return `<f4;True;[${tensor.shape.join(", ")}];${hex}`;
    });
    expect(stdout.trimEnd().split("\n")).toEqual(lines);
    for (const tensor of tensors) if ("dispose" in tensor) tensor.dispose();
  });
});
