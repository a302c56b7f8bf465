// The conformance program fails where it should.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const binary = process.env.SQRTDK_CONFORMANCE ?? root + "build/native/bin/sqrtdk_conformance";
const folder = mkdtempSync(join(tmpdir(), "sqrtdk-conformance-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function run(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const { error, status, stdout, stderr } = spawnSync(binary, words, { encoding: "utf8" });
  if (error) throw error;
  return { status, stdout, stderr };
}

function npy(values: number[], shape: number[], options = { fortran: false }): Uint8Array {
  const order = options.fortran ? "True" : "False";
  const dims = shape.map((dim) => `${String(dim)},`).join(" ");
  const header = `{'descr': '<f4', 'fortran_order': ${order}, 'shape': (${dims}), }`.padEnd(117) + "\n";
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length, 0]);
  return Buffer.concat([start, Buffer.from(header), Buffer.from(new Float32Array(values).buffer)]);
}

interface Parts {
  x?: number[];
  y?: number[];
  shape?: number[]; // of y
  files?: Record<string, string | Uint8Array | undefined>; // instead of the right ones
  description?: Record<string, unknown>;
}

let cases = 0;

/** A folder with softmax([0, 0]) = [0.5, 0.5], or what `parts` make of it. */
function softmaxCase(parts: Parts = {}): string {
  const place = join(folder, `case_${String(++cases)}`);
  mkdirSync(place);
  const shape = parts.shape ?? [1, 2];
  const description = {
    op: "Softmax",
    domain: "ai.onnx",
    attributes: {},
    inputs: [{ slot: 0, name: "x", dtype: "float32", shape: [1, 2], file: "x.npy" }],
    outputs: [{ slot: 0, name: "y", dtype: "float32", shape, file: "y.npy" }],
    tolerance: { rtol: 1e-3, atol: 1e-7 },
    ...parts.description,
  };
  const files = {
    "case.json": JSON.stringify(description),
    "x.npy": npy(parts.x ?? [0, 0], [1, 2]),
    "y.npy": npy(parts.y ?? [0.5, 0.5], shape),
    ...parts.files,
  };
  for (const [name, contents] of Object.entries(files)) {
    if (contents !== undefined) writeFileSync(join(place, name), contents);
  }
  return place;
}

describe("a case", () => {
  test("passes with the right values, and says so", () => {
    const { status, stdout } = run(softmaxCase(), "--verbose");
    expect(stdout).toMatch(/^pass case_\d+ y: error .*\n1 passed, 0 failed, 0 skipped\n$/);
    expect(status).toBe(0);
  });

  test("of an operator that nobody knows is skipped, with the reason", () => {
    const { status, stdout } = run(softmaxCase({ description: { op: "Softmin" } }));
    expect(stdout).toBe("skipped 1 Softmin: not an operator of this build\n0 passed, 0 failed, 1 skipped\n");
    expect(status).toBe(0);
  });

  test("with NaN where NaN is expected passes", () => {
    expect(run(softmaxCase({ x: [NaN, 0], y: [NaN, NaN] })).status).toBe(0);
  });

  const cut = npy([0.5, 0.5], [1, 2]);
  test.each<[string, Parts, RegExp]>([
    ["a wrong value", { y: [0.5, 0.501] }, /y: error 0.001 at \[0, 1\]: got 0.5, expected 0.50/],
    ["NaN expected", { y: [0.5, NaN] }, /y: error inf at \[0, 1\]: got 0.5, expected nan/],
    ["NaN got", { x: [NaN, 0] }, /y: error inf at \[0, 0\]: got -?nan, expected 0.5/],
    ["infinity expected", { y: [Infinity, 0.5] }, /error inf at \[0, 0\]: got 0.5, expected inf/],
    ["another shape", { y: [0.5, 0.5], shape: [2] }, /y: the shape is \[1,2\], expected \[2\]/],
    ["a missing file", { files: { "y.npy": undefined } }, /y.npy cannot be opened/],
    ["a truncated file", { files: { "y.npy": cut.subarray(0, -1) } }, /y.npy has 7 bytes of data/],
    ["a file with more", { files: { "y.npy": Buffer.concat([cut, Buffer.alloc(4)]) } }, /y.npy has 12 bytes/],
    ["a truncated header", { files: { "x.npy": cut.subarray(0, 40) } }, /x.npy is truncated in its header/],
    ["an empty file", { files: { "x.npy": "" } }, /x.npy is no .npy file/],
    [
      "columns first",
      { files: { "x.npy": npy([0, 0], [1, 2], { fortran: true }) } },
      /x.npy is not in C order/,
    ],
    ["a size of 2^60", { files: { "x.npy": npy([0, 0], [2 ** 30, 2 ** 30]) } }, /x.npy has 8 bytes/],
    ["a shape not that of the file", { files: { "x.npy": npy([0, 0], [2]) } }, /x.npy has the shape \[2\]/],
    ["broken JSON", { files: { "case.json": '{"op": ' } }, /parse error/],
    ["no operator", { description: { op: undefined } }, /key 'op' not found/],
    ["no output", { description: { outputs: [] } }, /no outputs/],
    ["no input", { description: { inputs: [] } }, /no input/],
    ["no tolerance", { description: { tolerance: undefined } }, /no tolerance/],
    ["an axis that is none", { description: { attributes: { axis: 2 } } }, /no axis 2/],
  ])("with %s fails, and those after it are run", (_, parts, reason) => {
    const { status, stdout } = run(softmaxCase(parts), softmaxCase());
    expect(stdout).toMatch(/^FAIL case_\d+/);
    expect(stdout).toMatch(reason);
    expect(stdout).toMatch(/\n1 passed, 1 failed, 0 skipped\n$/);
    expect(status).toBe(1);
  });

  test("that asks for an output that its operator has not fails", () => {
    const output = { slot: 1, name: "z", dtype: "float32", shape: [1, 2], file: "y.npy" };
    const { status, stdout } = run(softmaxCase({ description: { outputs: [output] } }));
    expect(stdout).toMatch(/output z is not computed/);
    expect(status).toBe(1);
  });

  test("of PyTorch is held to 8 times its float32 error and 2e-6 of the largest value", () => {
    const grad = { name: "grad_y", dtype: "float32", shape: [1, 2], file: "x.npy" };
    const x = { name: "x", dtype: "float32", shape: [1, 2], file: "x.npy" };
    const error = (torch: number) => {
      const y = { name: "y", dtype: "float32", shape: [1, 2], file: "y.npy", torch_f32_max_abs_err: torch };
      const description = { domain: undefined, tolerance: undefined, inputs: [x, grad], outputs: [y] };
      return run(softmaxCase({ y: [0.5, 0.5001], description })).status;
    };
    expect(error(1e-5)).toBe(1);
    expect(error(1.3e-5)).toBe(0);
  });
});

describe("the goldens of a trained model", () => {
  const goldens = {
    model: "stories260K",
    tokenize: [],
    greedy: [],
    nll: [],
    greedy_200_from_bos: { ids: [1], text: "" },
  };
  test.each<[string, string, RegExp]>([
    ["broken JSON", '{"model": ', /parse error/],
    ["a part missing", JSON.stringify({ ...goldens, nll: undefined }), /key 'nll' not found/],
    ["no model beside them", JSON.stringify(goldens), /stories260K.bin cannot be opened/],
  ])("with %s fail", (_, text, reason) => {
    const place = join(folder, `goldens_${String(++cases)}`);
    mkdirSync(place);
    writeFileSync(join(place, "stories260K.goldens.json"), text);
    const { status, stdout } = run(place);
    expect(stdout).toMatch(/^FAIL stories260K.goldens.json: /);
    expect(stdout).toMatch(reason);
    expect(status).toBe(1);
  });
});

describe("a folder", () => {
  test("is searched at any depth", () => {
    const { status, stdout } = run(folder + "/");
    expect(stdout).toMatch(/[1-9]\d* passed, [1-9]\d* failed, 1 skipped\n$/);
    expect(status).toBe(1);
  });

  test("without a case fails, as does one that does not exist", () => {
    const empty = join(folder, "empty");
    mkdirSync(empty);
    expect(run(empty)).toMatchObject({
      status: 1,
      stdout: `FAIL ${empty}: holds no case\n0 passed, 1 failed, 0 skipped\n`,
    });
    expect(run(join(folder, "nowhere")).status).toBe(1);
  });
});

test("wrong usage has a status of its own", () => {
  expect(run().status).toBe(2);
  expect(run("--quick", folder).status).toBe(2);
});

test("--json gives every output", () => {
  const { status, stdout } = run("--json", softmaxCase(), softmaxCase({ y: [1, NaN] }));
  const report = JSON.parse(stdout) as { passed: number; failed: number; cases: { outputs: object[] }[] };
  expect(report).toMatchObject({ passed: 1, failed: 1, skipped: 0 });
  expect(report.cases.map((each) => each.outputs)).toMatchObject([
    [{ output: "y", passed: true, error: 0 }],
    [{ output: "y", passed: false, error: null }],
  ]);
  expect(status).toBe(1);
});
