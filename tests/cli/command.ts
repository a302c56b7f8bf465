// Runs the native command.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Description, RunResult, Scalar } from "../../bindings/api/types.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
export const binary = process.env.SQRTDK_BIN ?? root + "build/native/bin/sqrtdk";

/** Reference values of others, beside the project; the tests that need them are skipped without. */
export const reference = process.env.SQRTDK_REFERENCE ?? root + "../shared/reference";

export function command(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const { error, status, stdout, stderr } = spawnSync(binary, words, {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

export function runJson(id: string, ...words: string[]): RunResult {
  const { status, stdout, stderr } = command("run", id, ...words, "--json");
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as RunResult;
}

export function list(): Description[] {
  return JSON.parse(command("list", "--json").stdout) as Description[];
}

export function scalar(result: RunResult, name: string, at: Record<string, string>): Scalar {
  const wanted = JSON.stringify(at);
  const found = result.scalars.find((each) => each.name === name && JSON.stringify(each.at) === wanted);
  if (!found) throw new Error(`no ${name} at ${wanted}`);
  return found;
}
