// What the command writes: files as they are, standard output to its end or not at all.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { binary, command } from "./command.ts";
import { small, temporaryFiles, train } from "./train_command.ts";

const file = temporaryFiles();
const short = [...small, "--steps", "2", "--record_every", "1", "--answers", "0"];

/** The command in a shell, where redirections and pipes are what people write. */
function shell(script: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync("bash", ["-c", script, "bash", binary], { encoding: "utf8" });
}

const hidden = (path: string) => readdirSync(dirname(path)).filter((name) => name.startsWith("."));

describe("files", () => {
  test.each(["log", "checkpoint"])("a device is written, not replaced: --%s", (name) => {
    const before = lstatSync("/dev/null");
    const { status, stderr } = command("train", ...short, `--${name}`, "/dev/null");
    expect(stderr).not.toMatch(/sqrtdk:/);
    expect(status).toBe(0);
    const after = lstatSync("/dev/null");
    expect(after.isCharacterDevice()).toBe(true);
    expect(after.ino).toBe(before.ino);
  });

  test("a log may go to a pipe", () => {
    const { stdout } = shell(`"$1" train ${short.join(" ")} --log /dev/stdout | cat`);
    expect(stdout).toMatch(/^step,[^\n]*\n0,[^\n]*\n1,[^\n]*\n2,/);
    expect(stdout).toMatch(/\nsteps 2\nweights [0-9a-f]{16}\n/);
  });

  test("links are followed, and stay", () => {
    for (const name of ["log", "checkpoint"]) {
      const [link, target] = [file(`link.${name}`), file(`target.${name}`)];
      symlinkSync(`target.${name}`, link); // to what is not there yet
      for (let time = 0; time < 2; ++time) {
        train(...short, `--${name}`, link);
        expect(readlinkSync(link)).toBe(`target.${name}`);
        expect(lstatSync(target).isFile()).toBe(true);
        expect(statSync(target).size).toBeGreaterThan(100);
      }
      expect(hidden(link)).toEqual([]);
    }
  });

  test("a link that leads to itself is refused", () => {
    const loop = file("loop");
    symlinkSync("loop", loop);
    const { status, stderr } = command("train", ...short, "--checkpoint", loop);
    expect(stderr).toMatch(/^sqrtdk: train: checkpoint: cannot write .*loop: /);
    expect(status).toBe(2);
  });

  test("permissions are kept, and those of new files are the user's", () => {
    const [old, fresh] = [file("old"), file("fresh")];
    writeFileSync(old, "");
    chmodSync(old, 0o640);
    train(...short, "--checkpoint", old);
    expect(statSync(old).mode & 0o7777).toBe(0o640);
    const umask = process.umask(0o27);
    try {
      train(...short, "--checkpoint", fresh);
    } finally {
      process.umask(umask);
    }
    expect(statSync(fresh).mode & 0o7777).toBe(0o640);
  });

  test("a failed write leaves the old file and nothing else", () => {
    const path = file("kept");
    train(...short, "--checkpoint", path);
    const before = readFileSync(path);
    // No file may grow beyond 1 kB: the checkpoint is larger.
    const { status, stderr } = shell(
      `trap '' XFSZ; ulimit -f 1; "$1" train ${short.join(" ")} --steps=3 --checkpoint ${path}`.replace(
        "--steps 2 ",
        "",
      ),
    );
    expect(stderr).toMatch(/cannot write .*kept: File too large/);
    expect(status).toBe(2);
    expect(readFileSync(path)).toEqual(before);
    expect(hidden(path)).toEqual([]);
  });
});

describe("standard output", () => {
  const generating = () => {
    const weights = new URL("../../../shared/reference/weights/", import.meta.url).pathname;
    return `generate --model ${weights}stories260K.bin --tokenizer ${weights}tok512.bin`;
  };
  test.each([
    "run positional_encoding --json", // a megabyte
    "run article_snippet",
    "list --json",
    "--help",
    "generate --help",
    "train --help",
    `train ${short.join(" ")}`,
  ])("%s says that a disk is full", (words) => {
    const { status, stderr } = shell(`"$1" ${words} >/dev/full`);
    expect(stderr).toMatch(/sqrtdk: standard output: No space left on device\n$/);
    expect(status).toBe(1);
  });

  test("a closed one is an error", () => {
    const { status, stderr } = shell('"$1" list >&-');
    expect(stderr).toBe("sqrtdk: standard output: Bad file descriptor\n");
    expect(status).toBe(1);
  });

  test("a reader that goes ends the command without a word", () => {
    const { stdout, stderr } = shell(
      'set -o pipefail; "$1" run positional_encoding --json | head -c 10; echo "$?" >&2',
    );
    expect(stdout).toHaveLength(10);
    expect(stderr).toBe("141\n"); // 128 + SIGPIPE
  });

  test("where SIGPIPE is ignored, it is an error like another", () => {
    const { stderr } = shell(
      `trap '' PIPE; { "$1" run positional_encoding --json; echo "$?" >&2; } | head -c 10`,
    );
    expect(stderr).toMatch(/^sqrtdk: standard output: Broken pipe\n1\n/);
  });

  test("what is generated is written to its end or refused", () => {
    const words = generating();
    try {
      execFileSync("test", ["-e", words.split(" ")[2]!]);
    } catch {
      return; // the trained model lies beside the project
    }
    const { status, stderr } = shell(`"$1" ${words} --steps=3 >/dev/full`);
    expect(stderr).toBe("sqrtdk: standard output: No space left on device\n");
    expect(status).toBe(1);
    expect(shell(`"$1" ${words} --steps=3`).stdout).toBe(shell(`"$1" ${words} --steps 3`).stdout);
  });
});
