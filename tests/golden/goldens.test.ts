import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import type { Sqrtdk } from "../../bindings/entry/full.ts";
import { bitsHash } from "./bits_hash.ts";
import { goldens } from "./goldens.ts";
import { expectedLayerHashes, layerHashes } from "./layer_hashes.ts";

test("there are golden runs of every experiment, but of those that measure the device", () => {
  const listed = JSON.parse(execFileSync("build/native/bin/sqrtdk", ["list", "--json"], { encoding: "utf8" })) as {
    id: string;
    timed?: boolean;
  }[];
  for (const { id, timed } of listed) expect(goldens.some((golden) => golden.id === id), id).toBe(!timed);
});

describe("the native command computes the golden hash", () => {
  test.each(goldens)("$line", ({ line, hash }) => {
    const words = ["run", ...line.split(" "), "--json"];
    const text = execFileSync("build/native/bin/sqrtdk", words, { encoding: "utf8", maxBuffer: 1 << 28 });
    expect((JSON.parse(text) as { hash: string }).hash).toBe(hash);
  });
});

describe("the package computes the golden hash in Node", () => {
  let sqrtdk: Sqrtdk;
  beforeAll(async () => {
    const published = new URL("../../build/package/index.node.js", import.meta.url).href;
    const { load } = (await import(published)) as typeof import("../../bindings/entry/full.ts");
    sqrtdk = await load();
  });
  test.each(goldens)("$line", ({ id, params, hash }) => {
    expect(sqrtdk.experiments.get(id).run(params).hash).toBe(hash);
  });
  test("layers and models", () => {
    expect(layerHashes(sqrtdk, bitsHash)).toEqual(expectedLayerHashes());
  });
});
