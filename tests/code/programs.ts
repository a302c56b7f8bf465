// Runs what the page exports, and compares what it prints with the native command.
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll } from "vitest";
import type { Description, Labels, RunResult } from "../../bindings/api/types.ts";
import { codeFor, type CodeKind } from "../../web/elements/code_export.ts";
import { list, runJson } from "../cli/command.ts";

export const descriptions = list();
export const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "sqrtdk-code-"));
afterAll(() => rmSync(folder, { recursive: true }));

export function described(id: string): Description {
  return descriptions.find((each) => each.id === id)!;
}

/** The Python that has these modules; the system's own may have what another one before it has not. */
export function pythonWith(...modules: string[]): string | undefined {
  const names = [process.env.PYTHON ?? "python3", "/usr/bin/python3"];
  return names.find((name) => spawnSync(name, ["-c", `import ${modules.join()}`]).status === 0);
}

/** Runs Python, with one thread: other tests run beside this one. */
export async function python(name: string, ...words: string[]): Promise<string> {
  const env = { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" };
  return (await run(name, words, { maxBuffer: 1 << 26, env })).stdout;
}

/** Writes the program that codeFor gives for these settings; gives its path. */
export async function written(kind: CodeKind, id: string, params: Labels): Promise<string> {
  const program = await codeFor(kind, described(id), params);
  if (!program) throw new Error(`no ${kind} of ${id}`);
  const path = join(mkdtempSync(join(folder, "program-")), program.name);
  writeFileSync(path, program.text);
  return path;
}

export function native(id: string, params: Labels): RunResult {
  return runJson(id, ...Object.entries(params).flatMap(([name, text]) => [`--${name}`, text]));
}

/** What a program prints: lines as they are, and numbers by name and place. */
export interface Printed {
  lines: string[];
  numbers: Map<string, number[]>;
}

export function printed(text: string): Printed {
  const lines = text.trimEnd().split("\n");
  const numbers = new Map<string, number[]>();
  const others: string[] = [];
  for (const line of lines) {
    // A name of the results, its place, and what it is: a value with its error, or the numbers of a row.
    const [, key, values] = /^([a-z][\w.]*(?: \w+=.*?)?) = ((?:[-+±.\de ]|inf|nan)+)$/.exec(line) ?? [];
    if (key === undefined) others.push(line);
    else numbers.set(key, values!.replace(" ±", "").split(" ").map(Number));
  }
  return { lines: others, numbers };
}

function place(at: Labels): string {
  return Object.entries(at)
    .map(([name, value]) => ` ${name}=${value}`)
    .join("");
}

function value(x: number | null | undefined): number {
  return x ?? NaN;
}

/** The numbers of a result by the same names: those of scalars, and the rows of its figures. */
export function shown({ scalars, figures }: RunResult): {
  scalars: Map<string, number[]>;
  rows: Map<string, number[]>;
} {
  const rows = new Map<string, number[]>();
  for (const { name, at, grid, series } of figures) {
    for (const { name: line, y } of series) rows.set(`${name}${place(at)} series=${line}`, y.map(value));
    for (let i = 0; grid && i < grid.n_rows; ++i) {
      const row = grid.values.slice(i * grid.n_cols, (i + 1) * grid.n_cols);
      rows.set(`${name}${place(at)} row=${i}`, row.map(value));
    }
  }
  return {
    scalars: new Map(
      scalars.map((each) => [
        each.name + place(each.at),
        each.se === undefined ? [value(each.value)] : [value(each.value), value(each.se)],
      ]),
    ),
    rows,
  };
}
