import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));

export default defineConfig({
  root,
  cacheDir: "build/vitest-cache",
  test: {
    projects: [
      {
        test: {
          name: "unit",
          root,
          include: ["tests/**/*.test.ts"],
          exclude: ["tests/browser/**"],
          testTimeout: 30_000,
        },
      },
      {
        // One engine at a time, named by the variable ENGINE; see tests/browser/drivers.
        test: {
          name: "browser",
          root,
          include: ["tests/browser/**/*.test.ts"],
          exclude: (process.env.ENGINE ?? "chromium") === "chromium" ? [] : ["tests/browser/chromium/**"],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
