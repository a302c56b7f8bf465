// sqrtdk generate, with the trained model beside the project.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { command, reference } from "./command.ts";

const weights = reference + "/weights/";
const model = ["--model", weights + "stories260K.bin", "--tokenizer", weights + "tok512.bin"];
const folder = mkdtempSync(join(tmpdir(), "sqrtdk-generate-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Goldens {
  greedy: { prompt: string; scale: string; text: string; ids: number[] }[];
  greedy_200_from_bos: { text: string };
}

const there = existsSync(weights + "stories260K.bin");
const none: Goldens = { greedy: [], greedy_200_from_bos: { text: "" } }; // a skipped block is collected all the same
const goldens = there
  ? (JSON.parse(readFileSync(weights + "stories260K.goldens.json", "utf8")) as Goldens)
  : none;

describe.skipIf(!there)("stories260K", () => {
  test("tells llama2.c's own story", () => {
    const { status, stdout, stderr } = command("generate", ...model);
    expect(stdout).toBe(goldens.greedy_200_from_bos.text + "\n");
    expect(stderr).toMatch(/^\d+ tokens\/s\n$/);
    expect(status).toBe(0);
  });

  test.each(goldens.greedy.map((each) => [each.prompt, each.scale, each] as const))(
    "continues '%s' at the scale %s",
    (prompt, scale, { text, ids }) => {
      const prompts: Record<string, number> = { "": 1, Zoo: 4 };
      const steps = String(ids.length - (prompts[prompt] ?? 14));
      const words = ["--prompt", prompt, "--scale", scale.replace("d_k", "d"), "--steps", steps];
      expect(command("generate", ...model, ...words).stdout).toBe(text + "\n");
    },
  );

  test("takes a number for a scale, and ends by itself", () => {
    const named = command("generate", ...model, "--scale", "none", "--steps", "100000");
    expect(named.status).toBe(0);
    expect(named.stdout.length).toBeGreaterThan(500);
    expect(command("generate", ...model, "--scale", "1", "--steps", "100000").stdout).toBe(named.stdout);
  });

  test("keeps weights in fewer bits: its own story almost to the end, the same each time", () => {
    const told = (...words: string[]): string => command("generate", ...model, ...words).stdout;
    const whole = told("--weights", "f32");
    expect(whole).toBe(goldens.greedy_200_from_bos.text + "\n");
    for (const format of ["bf16", "int8"]) {
      const text = told("--weights", format);
      expect(text.slice(0, 40)).toBe(whole.slice(0, 40));
      expect(told("--weights", format)).toBe(text);
    }
  });

  test("draws tokens: the same for a seed, others for another, the most likely where one is kept", () => {
    const told = (...words: string[]): string =>
      command("generate", ...model, "--steps", "60", ...words).stdout;
    const drawn = ["--temperature", "0.9", "--top_p", "0.95", "--top_k", "40"];
    const [greedy, first] = [told(), told(...drawn, "--seed", "1")];
    expect(told(...drawn, "--seed", "1")).toBe(first);
    expect(told(...drawn, "--seed", "2")).not.toBe(first);
    expect(first).not.toBe(greedy);
    expect(told("--temperature", "0", "--top_p", "0.5")).toBe(greedy);
    expect(told("--temperature", "2", "--top_k", "1", "--seed", "9")).toBe(greedy);
  });

  test("says what is wrong with a file", () => {
    const cut = join(folder, "cut.bin");
    writeFileSync(cut, readFileSync(weights + "stories260K.bin").subarray(0, 1000));
    const { status, stderr } = command("generate", "--model", cut, ...model.slice(2));
    expect(stderr).toMatch(/generate.*model.*tok_embeddings/);
    expect(status).toBe(2);
    expect(command("generate", ...model.slice(0, 2), "--tokenizer", cut).stderr).toMatch(/tokenizer/);
  });

  test.each([
    [["--scale", "1/2d"], /scale must be one of default, none, 1\/sqrt\(d\), .*, number, got 1\/2d/],
    [["--steps", "0"], /--steps 0, expected 1 or more/],
    [["--steps", "few"], /--steps few, expected 1 or more/],
    [["--heat", "1"], /unexpected --heat/],
    [["--temperature", "-1"], /temperature must be 0 or a positive number, got -1/],
    [["--temperature", "hot"], /--temperature hot, expected 0 or a positive number/],
    [["--temperature", "1", "--top_k", "-1"], /top_k must be 0 for all, or 1 or more, got -1/],
    [["--temperature", "1", "--top_p", "0"], /top_p must be in 0 .. 1, without 0, got 0/],
    [["--temperature", "1", "--seed", "-1"], /--seed -1, expected 0 .. 2\^64 - 1/],
    [["--top_p", "0.9"], /--top_p needs a --temperature/],
    [["--seed", "3"], /--seed needs a --temperature/],
    [["--steps"], /--steps needs a value/],
  ])("refuses %j", (words, message) => {
    const { status, stdout, stderr } = command("generate", ...model, ...words);
    expect(stderr).toMatch(message);
    expect(stdout).toBe("");
    expect(status).toBe(2);
  });
});

test("generate needs both files, and explains itself", () => {
  expect(command("generate").stderr).toMatch(/expected --model FILE/);
  expect(command("generate", "--model", "x").stderr).toMatch(/expected --tokenizer FILE/);
  expect(command("generate", "--model", "nowhere", "--tokenizer", "x").stderr).toMatch(/nowhere/);
  expect(command("generate", "--help").stdout).toMatch(/^usage: sqrtdk generate --model/);
});
