// sqrtdk train as tests run it.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { binary, command } from "./command.ts";

/** Names files of a folder that lasts as long as the tests of a file. */
export function temporaryFiles(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), "sqrtdk-train-"));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  return (name) => join(folder, name);
}

/** A model of which a step takes a fraction of a millisecond. */
export const small = [
  ...["--length", "5", "--symbols", "6", "--d_model", "16", "--n_heads", "2", "--n_layers", "1"],
  ...["--batch", "4", "--examples", "16", "--dropout", "0.1", "--max_gradient_norm", "1", "--seed", "7"],
];

export function train(...words: string[]) {
  const { status, stdout, stderr } = command("train", ...words);
  if (status !== 0) throw new Error(stderr);
  return { stdout, stderr, ...result(stdout) };
}

/** What is printed first. */
export function result(stdout: string) {
  const [, steps, hash] = /^steps (\d+)\nweights ([0-9a-f]{16})\n/.exec(stdout) ?? [];
  return { steps: Number(steps), hash };
}

/** A run without end that gets a signal once it says `when`. */
export async function stopped(words: string[], when: string, signal: NodeJS.Signals) {
  const child = spawn(binary, ["train", ...words, "--steps", "100000000"]);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
  child.stderr.on("data", (data: Buffer) => {
    stderr += data.toString();
    if (stderr.includes(when) && !child.killed) child.kill(signal);
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { status, stdout, stderr };
}

export const rows = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");
