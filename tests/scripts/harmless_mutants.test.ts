import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { harmless } from "../../scripts/lib/harmless_mutants.mjs";

test.each(Object.entries(harmless))(
  "what scripts/mutate.mjs knows of %s is said of its code as it is",
  (source, mutants) => {
    const text = readFileSync(source, "utf8");
    for (const [before, after] of mutants) {
      expect(text.split(before).length - 1, before).toBe(1);
      expect(after).not.toBe(before);
    }
  },
);
