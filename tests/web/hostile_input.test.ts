// Links and files with mistakes at random places are read, or refused by a typed error within 100 ms; the module's memory does
// not grow. SQRTDK_LONG=1: 10^6 of them.
import { readFileSync, readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { OutOfMemoryError, SqrtdkError, load } from "../../bindings/entry/full.ts";
import type { Sqrtdk } from "../../bindings/entry/full.ts";
import { formatHash, parseHash, readElement } from "../../web/state/url_state.ts";

const count = process.env.SQRTDK_LONG ? 500_000 : 4_000; // of links, and of files
const limit = 100; // ms

let state = 2463534242;
/** A whole number below n: Marsaglia's xorshift. */
function below(n: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % n;
}
const oneOf = <T>(all: readonly T[]): T => all[below(all.length)]!;

/** Some of its bytes are replaced, left out, repeated or taken from `other`, or it ends early. */
function mutated(bytes: Uint8Array, other: Uint8Array): Uint8Array {
  let now = [...bytes];
  for (let changes = 1 + below(6); changes > 0; --changes) {
    const at = below(now.length + 1);
    const end = Math.min(now.length, at + 1 + below(8));
    const kind = below(6);
    if (kind === 0) now[at] = below(256);
    else if (kind === 1) now[at] = oneOf([0, 1, 127, 128, 255, 45, 44, 59, 37, 38, 61]);
    else if (kind === 2) now.splice(at, end - at);
    else if (kind === 3) now.splice(at, 0, ...now.slice(at, end));
    else if (kind === 4) now.splice(at, end - at, ...other.subarray(at, end));
    else if (below(8) === 0) now = now.slice(0, at);
  }
  return Uint8Array.from(now);
}

/** Milliseconds; what takes too long has two more tries, as the machine may do something else. */
function milliseconds(work: () => void): number {
  let least = Infinity;
  for (let tries = 0; tries < 3 && least > limit; ++tries) {
    const begin = performance.now();
    work();
    least = Math.min(least, performance.now() - begin);
  }
  return least;
}

let sqrtdk: Sqrtdk;
beforeAll(async () => {
  sqrtdk = await load();
});

/** What is read, or a typed error that is none of memory. */
function refused(read: () => void): boolean {
  try {
    read();
    return false;
  } catch (error) {
    if (!(error instanceof SqrtdkError) || error instanceof OutOfMemoryError) throw error;
    return true;
  }
}

const memoryInUse = (): number =>
  sqrtdk.scope(() => sqrtdk.tensor(new Float32Array(1), [1]).view().array.buffer.byteLength);

function tryAll(inputs: readonly Uint8Array[], read: (input: Uint8Array, from: number) => void): void {
  const before = memoryInUse();
  let refusals = 0;
  for (let i = 0; i < count; ++i) {
    const from = below(inputs.length);
    const input = mutated(inputs[from]!, oneOf(inputs));
    let wasRefused = false;
    const took = milliseconds(() => (wasRefused = refused(() => read(input, from))));
    if (took > limit) expect(took, `ms for ${Buffer.from(input).toString("base64")}`).toBeLessThan(limit);
    if (wasRefused) ++refusals;
  }
  expect(refusals).toBeGreaterThan(count / 20);
  expect(refusals).toBeLessThan(count);
  expect(memoryInUse()).toBe(before);
}

describe("hostile input", () => {
  it("in links", () => {
    const figures = sqrtdk.experiments.list().map(({ id, params }) => {
      const defaults = Object.fromEntries(params.map(({ name, default: text }) => [name, text]));
      const all = new Map([[id, new Map(Object.entries(defaults))]]);
      return { id, defaults, link: new TextEncoder().encode(formatHash(id, all)) };
    });
    const decoder = new TextDecoder();
    tryAll(
      figures.map(({ link }) => link),
      (input, from) => {
        const { id, defaults } = figures[from]!;
        const { texts } = readElement(parseHash(decoder.decode(input)), id, defaults);
        sqrtdk.experiments.get(id).work(texts);
      },
    );
  });

  it("in files", () => {
    const corpus = new URL("../fuzz/corpus/", import.meta.url);
    const readers: Record<string, (bytes: Uint8Array) => unknown> = {
      npy: (bytes) => sqrtdk.formats.readNpy(bytes),
      csv: (bytes) => sqrtdk.formats.readCsv(new TextDecoder().decode(bytes)),
      safetensors: (bytes) => sqrtdk.formats.readSafetensors(bytes),
      llama2c: (bytes) => sqrtdk.models.loadLlama2c(bytes),
      nano_gpt: (bytes) => sqrtdk.models.loadNanoGpt(bytes),
    };
    const files = Object.entries(readers).flatMap(([name, read]) =>
      readdirSync(new URL(`${name}/`, corpus)).map((file) => ({
        read,
        bytes: new Uint8Array(readFileSync(new URL(`${name}/${file}`, corpus))),
      })),
    );
    tryAll(
      files.map(({ bytes }) => bytes),
      (input, from) => sqrtdk.scope(() => void files[from]!.read(input)),
    );
  });
}, 3_600_000);
