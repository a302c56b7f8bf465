// sqrtdk train: what it prints, its help, and errors that name the option.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { command } from "./command.ts";
import { small, temporaryFiles, train } from "./train_command.ts";

const file = temporaryFiles();

describe("a run", () => {
  test("prints its weights' hash, what it gets right, and its answers, right and wrong", () => {
    const { stdout, stderr, steps } = train(
      ...["--length", "3", "--symbols", "4", "--d_model", "16", "--batch", "8", "--learning_rate", "3e-3"],
      ...["--steps", "60", "--record_every", "20", "--examples", "12", "--answers", "12"],
    );
    expect(steps).toBe(60);
    expect(stderr.split("\n").map((line) => line.replace(/  .*/, ""))).toEqual([
      ...["step 0/60", "step 20/60", "step 40/60", "step 60/60", ""],
    ]);
    const [, loss, tokens, chance, sequences] = (
      /\nloss (\S+)\ntokens right (\S+) \(by chance (\S+)\)\nsequences right (\S+)\n/.exec(stdout) ?? []
    ).map(Number);
    expect(loss).toBeGreaterThan(0);
    expect(tokens).toBeGreaterThan(chance!);
    expect(sequences).toBeLessThanOrEqual(tokens!);
    const table = stdout.trimEnd().split("\n\n")[1]!.split("\n");
    expect(table).toHaveLength(13);
    expect(table[0]).toMatch(/^ +tokens right +answer +expected +source$/);
    for (const line of table.slice(1)) {
      const [mark, right, answer, expected, source] = line.split(/ {2,}/) as [
        string,
        string,
        string,
        string,
        string,
      ];
      expect(expected).toBe(source.split(" ").sort().join(" "));
      expect(mark).toBe(answer === expected ? "right" : "wrong");
      const same = answer.split(" ").filter((token, i) => token === expected.split(" ")[i]);
      expect(right).toBe(`${String(same.length)}/3`);
    }
    // The table shows the evaluation's examples.
    expect((table.filter((line) => line.startsWith("right")).length / 12).toFixed(4)).toBe(
      sequences!.toFixed(4),
    );
    expect(stdout).toMatch(/^right/m);
    expect(stdout).toMatch(/^wrong/m);
  });

  test("is the same each time, and another with another seed, scale or optimizer", () => {
    const { hash, stdout } = train(...small, "--steps", "5");
    expect(train(...small, "--steps", "5").stdout).toBe(stdout);
    expect(train(...small, "--steps=5", "--record_every", "0", "--answers=0").hash).toBe(hash);
    for (const other of [
      ["--norm", "rms"],
      ["--scale", "none"],
      ["--optimizer", "sgd"],
      ["--positions", "rotary"],
      ["--warmup_steps", "3"],
    ]) {
      expect(train(...small, "--steps", "5", ...other).hash, other[0]).not.toBe(hash);
    }
    const reseeded = [...small.slice(0, -1), "8"]; // the seed stands last
    expect(train(...reseeded, "--steps", "5").hash).not.toBe(hash);
    // d_k is 8.
    const scaled = train(...small, "--steps", "5", "--scale", "1/d").hash;
    expect(train(...small, "--steps", "5", "--scale", "0.125").hash).toBe(scaled);
    expect(train(...small, "--steps", "5", "--scale", "1/sqrt(d)").hash).toBe(hash);
    const learned = train(...small, "--steps", "5", "--scale", "learned").hash;
    expect(train(...small, "--steps", "5", "--learned_scale", "true").hash).toBe(learned);
    const cosine = train(...small, "--steps", "5", "--scale", "cosine").hash;
    expect(train(...small, "--steps", "5", "--cosine", "true").hash).toBe(cosine);
    expect(new Set([hash, scaled, learned, cosine]).size).toBe(4);
  });

  test.each([
    [["--task", "dates", "--topology", "encoder_decoder"], /^wrong +\d+\/10 +\S+ +\d{4}-\d\d-\d\d +\S/m],
    [
      ["--task", "coreference", "--topology", "decoder"],
      /^\w+ +\d\/1 +\S+ +\w+ +the \w+ \w+ the \w+ because/m,
    ],
    [["--task", "modular_addition", "--symbols", "5"], /^\w+ +\d\/1 +\S+ +\d +\d \d =$/m],
  ])("shows answers in the words of the task: %j", (words, line) => {
    expect(
      train("--steps", "2", "--d_model", "16", "--batch", "4", "--examples", "8", ...words).stdout,
    ).toMatch(line);
  });

  test("shows the separator, which is no token of the task, as an arrow", () => {
    // 0, 1, "=" and the separator, each as likely.
    const words = [
      "--task",
      "modular_addition",
      "--symbols",
      "2",
      "--topology",
      "decoder",
      "--d_model",
      "16",
    ];
    const { stdout } = train(...words, "--steps", "0", "--answers", "12", "--seed", "8");
    expect(stdout).toMatch(/^wrong +0\/1 +→ +[01] +[01] [01] =$/m);
    expect(stdout).not.toMatch(/\/1 +3/);
  });

  test("aligns characters of any length in bytes", () => {
    const words = ["--task", "characters", "--topology", "decoder", "--length", "6", "--d_model", "16"];
    const { stdout } = train(
      ...words,
      "--steps",
      "30",
      "--examples",
      "8",
      "--text",
      "春a眠b不c觉d晓e处f闻g啼h鸟",
    );
    const lines = stdout.trimEnd().split("\n\n")[1]!.split("\n");
    for (const line of lines.slice(1)) {
      for (const column of ["expected", "source"]) {
        const [before, first] = [...line].slice(lines[0]!.indexOf(column) - 1);
        expect([before, first === " "]).toEqual([" ", false]);
      }
    }
  });

  test("takes the reader's own text, from a file too, and says what can be right of it", () => {
    const text = "春眠不觉晓\n处处闻啼鸟\n夜来风雨声\n花落知多少\n";
    writeFileSync(file("poem.txt"), text);
    const words = ["--task", "characters", "--topology", "decoder", "--length", "8", "--d_model", "16"];
    const own = train(...words, "--steps", "3", "--examples", "8", "--text", text);
    expect(train(...words, "--steps", "3", "--examples", "8", "--text", "@" + file("poem.txt")).stdout).toBe(
      own.stdout,
    );
    // In the end of the text, which is held out, some beginnings go on in two ways.
    const [, chance, most] = /\(by chance (\S+), at most (\S+)\)/.exec(own.stdout) ?? [];
    expect(Number(most)).toBeGreaterThan(Number(chance));
    expect(Number(most)).toBeLessThan(1);
    expect(own.stdout.split("\n\n")[1]!.trimEnd().split("\n")).toHaveLength(9); // line ends became blanks
  });
});

test("--help names every option and its default", () => {
  const { status, stdout, stderr } = command("train", "--help");
  train(
    "--steps",
    "0",
    "--d_model",
    "8",
    "--answers",
    "0",
    "--examples",
    "1",
    "--checkpoint",
    file("options"),
  );
  const header = /"config\.[^}]*/.exec(readFileSync(file("options"), "latin1"))?.[0] ?? "";
  const options = [...header.matchAll(/"config\.(\w+)":/g)].map(([, name]) => name!);
  expect(options.length).toBeGreaterThan(50);
  for (const name of options) expect(stdout).toMatch(new RegExp(`^ {2}--${name} .*\\S`, "m"));
  expect(status).toBe(0);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^usage: sqrtdk train/);
  expect(stdout).toMatch(/^ {2}--steps +1000 +\S/m);
  expect(stdout).toMatch(/^ {2}--resume +FILE +\S/m);
  expect(stdout).toMatch(/^ {2}--task +sort +sort, copy, .*dates, characters$/m);
  expect(stdout).toMatch(/^ {2}--learning_rate +0.001 +the schedule's peak$/m);
  expect(stdout).toMatch(/^ {2}--init_std +0.02 +the standard deviation of normal values$/m);
  expect(stdout).toMatch(/^ {2}--norm +layer +layer, rms$/m);
  expect(stdout).toMatch(/^ {2}--d_ff +0 +the number of hidden units .*; 0: 2 d_model$/m);
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
  expect(command("--help").stdout).toContain("sqrtdk train");
});

describe("one line names the option and what is expected; exit status 2", () => {
  const path = file("start");
  train(...small, "--steps", "3", "--checkpoint", path);
  writeFileSync(file("text"), "no checkpoint");
  writeFileSync(file("torn"), readFileSync(path).subarray(0, 3000));
  mkdirSync(file("folder"));

  test.each<[string[], RegExp]>([
    [["--heat", "1"], /unexpected --heat, .*train --help/],
    [["sort"], /unexpected sort/],
    [["--steps"], /--steps needs a value/],
    [["--steps=1", "--steps", "2"], /--steps is given twice/],
    [["--steps", "few"], /--steps few, expected 0 \.\. 1000000000000/],
    [["--steps", "-1"], /--steps -1, expected 0/],
    [["--examples", "0"], /--examples 0, expected 1 \.\./],
    [["--checkpoint_every", "1.5"], /--checkpoint_every 1.5, expected 0/],
    [["--record_every", ""], /--record_every: expected a value/],
    [["--answers", "-1"], /--answers -1/],
    [["--task", "walk"], /trainer: unknown task walk, expected one of sort, copy/],
    [["--length", "0"], /length must be in 1 \.\. 256, got 0/],
    [["--topology", "decode"], /topology must be one of encoder, decoder, encoder_decoder, got decode/],
    [["--d_model", "wide"], /d_model: expected an integer, got wide/],
    [["--record_every", "x"], /--record_every x, expected 0/],
    [["--n_heads", "3"], /n_heads/],
    [["--n_heads", "0"], /n_heads/],
    [["--tied", "yes"], /tied must be one of true, false/],
    [["--scale", "1/e"], /scale must be one of default, none, 1\/sqrt\(d\), .*learned, cosine, number, got/],
    [["--init_gain", "-1"], /init_gain must be 0 or more, got -1/],
    [["--dropout", "2"], /dropout/],
    [["--learning_rate", "fast"], /learning_rate: expected a number, got fast/],
    [["--beta1", "1"], /beta1/],
    [["--warmup_steps", "-1"], /warmup_steps/],
    [["--label_smoothing", "2"], /label_smoothing must be in 0 \.\. 1/],
    [["--batch", "0"], /batch must be in 1 \.\. 4096, got 0/],
    [["--seed", "-1"], /seed: expected an integer from 0 to 18446744073709551615/],
    [["--task", "characters"], /text must be in 13 \.\./],
    [["--task", "characters", "--text", "@nowhere"], /text: cannot read nowhere/],
    [["--checkpoint", file("none/file")], /checkpoint: cannot write .*none\/file/],
    [["--checkpoint", file("folder")], /checkpoint: cannot write .*folder/],
    [["--log", file("none/file.csv")], /log: cannot write .*none\/file.csv/],
    [["--log", file("one"), "--checkpoint", file("one")], /--log and --checkpoint are the same file/],
    [["--resume", "nowhere"], /resume: cannot read nowhere/],
    [["--resume", file("text")], /train: resume/],
    [["--resume", file("torn")], /train: resume/],
    [["--resume", path, "--steps", "2"], /--steps 2, expected at least the 3 of the checkpoint/],
    [["--resume", path, "--d_model", "32"], /--d_model 32, expected 16 as in the checkpoint/],
    [["--resume", path, "--scale", "none"], /--scale 1, expected default as in the checkpoint/],
  ])("%j", (words, message) => {
    const { status, stdout, stderr } = command("train", ...words);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^sqrtdk: [^\n]+\n$/);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });

  test("a gradient that is not finite ends the run, with the checkpoint of the step before", () => {
    const words = [
      ...small,
      "--optimizer",
      "sgd",
      "--learning_rate",
      "1e30",
      "--checkpoint",
      file("diverged"),
    ];
    const { status, stderr } = command("train", ...words, "--checkpoint_every", "1", "--record_every", "0");
    expect(stderr).toMatch(/^sqrtdk: optimizer: gradient: expected finite numbers, got .*\n$/);
    expect(status).toBe(2);
    expect(train("--resume", file("diverged"), "--steps", "1", "--answers", "0").steps).toBe(1);
  });
});
