// What sqrtdk train leaves in files: checkpoints that go on with the same bits, and logs without a seam.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { command } from "./command.ts";
import { result, rows, small, stopped, temporaryFiles, train } from "./train_command.ts";

const file = temporaryFiles();

describe("checkpoints", () => {
  const whole = train(...small, "--steps", "20", "--checkpoint", file("whole"), "--log", file("whole.csv"));

  test("a resumed run ends with the same bits as one that was not cut", () => {
    train(...small, "--steps", "8", "--checkpoint", file("eight"));
    const resumed = train("--resume", file("eight"), "--steps", "20", "--examples", "16");
    expect(resumed.stdout).toBe(whole.stdout);
    // The command goes on with --resume, into the same file.
    const again = ["--resume", file("eight"), "--checkpoint", file("eight"), ...small];
    expect(train(...again, "--steps", "13").steps).toBe(13);
    expect(train(...again, "--steps", "20").hash).toBe(whole.hash);
    expect(readFileSync(file("eight"))).toEqual(readFileSync(file("whole")));
    expect(train(...again, "--steps", "20").stdout).toBe(whole.stdout); // nothing is left to do
  });

  test("a killed run leaves one of a while ago, and can be done again from there", async () => {
    const path = file("killed");
    const log = file("killed.csv");
    const words = [...small, "--record_every", "5", "--checkpoint", path, "--log", log];
    await stopped([...words, "--checkpoint_every", "10"], "step 35/", "SIGKILL");
    expect(rows(log).length).toBeGreaterThanOrEqual(9);
    const found = command("train", "--resume", path, "--steps", "0");
    const steps = Number(/at least the (\d+) of/.exec(found.stderr)?.[1]);
    expect(steps).toBeGreaterThanOrEqual(30);
    expect(steps % 10).toBe(0);
    const end = [...small, "--record_every", "5", "--steps", String(steps + 7)];
    const resumed = train("--resume", path, ...end, "--log", log);
    const straight = train(...end, "--log", file("straight.csv"));
    expect(resumed.stdout).toBe(straight.stdout);
    expect(readFileSync(log, "utf8")).toBe(readFileSync(file("straight.csv"), "utf8"));
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s leaves one that goes on with the same bits",
    async (signal) => {
      const folder = file(signal);
      mkdirSync(folder);
      const path = join(folder, "checkpoint");
      const log = join(folder, "log.csv");
      const words = [...small, "--record_every", "10", "--checkpoint", path, "--log", log];
      const { status, stdout, stderr } = await stopped(words, "step 30/", signal);
      expect(status).toBe(128 + constants.signals[signal]);
      expect(stderr).toMatch(/\nstopped; --resume goes on from the checkpoint\n$/);
      const { steps, hash } = result(stdout);
      expect(steps).toBeGreaterThanOrEqual(30);
      expect(stdout.split("\n")).toHaveLength(3);
      expect(readdirSync(folder).sort()).toEqual(["checkpoint", "log.csv"]);
      const at = ["--steps", String(steps)];
      expect(train("--resume", path, ...at, "--answers", "0").hash).toBe(hash);

      const end = ["--steps", String(steps + 15)];
      const resumed = train(
        "--resume",
        path,
        "--log",
        log,
        "--record_every",
        "10",
        ...end,
        "--examples",
        "16",
      );
      const straight = train(...small, ...end, "--record_every", "10", "--log", file("straight.csv"));
      expect(resumed.stdout).toBe(straight.stdout);
      expect(readFileSync(log, "utf8")).toBe(readFileSync(file("straight.csv"), "utf8"));
    },
  );

  test("without --checkpoint a stopped run says that it is lost", async () => {
    const words = [...small, "--record_every", "10"];
    const { status, stderr } = await stopped(words, "step 10/", "SIGINT");
    expect(status).toBe(130);
    expect(stderr).toMatch(/\nstopped; without --checkpoint nothing is kept\n$/);
  });
});

describe("the log", () => {
  const words = [...small, "--record_every", "4"];
  train(...words, "--steps", "14", "--log", file("log.csv"));

  test("has a column for every number, and a row for every record", () => {
    const [header, ...lines] = rows(file("log.csv")).map((line) => line.split(","));
    expect(header).toEqual([
      ...["step", "loss", "learning_rate", "gradient_norm"],
      ...["evaluation_loss", "token_accuracy", "sequence_accuracy"],
      ...["embedding", "positions", "layers.0", "norm", "head"].map((layer) => "gradient_norm." + layer),
      ...["dscores_mean.layers.0.self_attn", "dscores_median.layers.0.self_attn"],
      ...["entropy.layers.0.self_attn.0", "entropy.layers.0.self_attn.1"],
      ...["saturated.layers.0.self_attn.0", "saturated.layers.0.self_attn.1"],
    ]);
    expect(lines.map(([step]) => step)).toEqual(["0", "4", "8", "12"]);
    for (const line of lines) {
      expect(line).toHaveLength(header!.length);
      const of = (name: string) => Number(line[header!.indexOf(name)]);
      const trained = line[0] !== "0";
      for (const name of header!) {
        const known = trained || !/^(loss|learning_rate|gradient_norm.*)$/.test(name);
        expect(Number.isFinite(of(name)), `${line[0]!} ${name}`).toBe(known);
      }
      expect(of("entropy.layers.0.self_attn.0")).toBeLessThanOrEqual(Math.log(5));
      expect(of("entropy.layers.0.self_attn.0")).toBeGreaterThan(0.5);
      expect(of("dscores_median.layers.0.self_attn")).toBeGreaterThan(0);
      if (trained) expect(of("learning_rate")).toBe(0.001);
    }
  });

  test("goes on after the checkpoint's step, whatever stood behind it", () => {
    const path = file("cut.csv");
    train(...words, "--steps", "9", "--checkpoint", file("cut"), "--log", path);
    const behind = rows(file("log.csv"))[4]!; // of step 12
    writeFileSync(path, [...rows(path), behind, "13,0."].join("\n"));
    train("--resume", file("cut"), "--steps", "14", "--log", path, "--record_every", "4", "--examples", "16");
    expect(rows(path)).toEqual(rows(file("log.csv")));
    rmSync(path); // and begins where there is none
    train("--resume", file("cut"), "--steps", "14", "--log", path, "--record_every", "4", "--examples", "16");
    expect(rows(path)).toEqual([0, 4].map((i) => rows(file("log.csv"))[i]));
  });

  test("of another model is refused and kept", () => {
    const path = file("other.csv");
    train(...words, "--steps", "1", "--checkpoint", file("other"));
    writeFileSync(path, "step,loss\n1,2\n");
    const { status, stderr } = command("train", "--resume", file("other"), "--steps", "5", "--log", path);
    expect(stderr).toMatch(/^sqrtdk: train: --log has other columns than this run: step,loss 1,2 , expected/);
    expect(status).toBe(2);
    expect(readFileSync(path, "utf8")).toBe("step,loss\n1,2\n");
  });
});
