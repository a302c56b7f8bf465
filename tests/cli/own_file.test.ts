// The reader's own words and checkpoint.
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

test("words are taken as they are", () => {
  const { params, figures } = runJson("attention_steps", "--text", "猫坐在垫子上");
  expect(params.text).toBe("猫坐在垫子上");
  const weights = figures.find(({ name }) => name === "weights");
  expect(weights?.kind).toBe("heatmap");
  expect(weights?.grid?.rows).toEqual([..."猫坐在垫子上"]);
  expect(weights?.grid?.values).toHaveLength(36);
});

test.each([
  ["missing.bin", undefined, /cannot read/],
  ["empty.bin", "", /is empty/],
  ["text.bin", "not a checkpoint", /./],
])("the checkpoint %s is refused", (name, content, message) => {
  const path = join(folder, name);
  if (content !== undefined) writeFileSync(path, content);
  const { status, stdout, stderr } = command("run", "trained_without", "--checkpoint", "@" + path);
  expect(status).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^sqrtdk: trained_without: checkpoint.*\n$/);
  expect(stderr).toMatch(message);
});

test("a file without end is refused once it is too long", () => {
  const { status, stderr } = command("run", "trained_without", "--checkpoint", "@/dev/zero");
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^sqrtdk: trained_without: checkpoint: cannot read \/dev\/zero: more than \d+ bytes\n$/,
  );
});

test("the help says how words and files are given", () => {
  const { stdout } = command("run", "trained_without", "--help");
  expect(stdout).toMatch(/--checkpoint +@FILE, up to \d+ bytes/);
  expect(command("run", "attention_steps", "--help").stdout).toMatch(
    /--text +text or @FILE, up to \d+ bytes/,
  );
});
