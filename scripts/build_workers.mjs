// build/workers/: the worker of each module, a script of its own. Needs build/wasm/. Run by scripts/build.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { bundle, path } from "./lib/bundle.mjs";

const out = path("build/workers");

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const module of ["first", "experiments", "full", "threads", "nn", "ops"]) {
  const [{ code }, ...others] = await bundle(`bindings/entry/worker_${module}.ts`, { format: "iife" });
  if (others.length > 0) throw new Error(`the worker of ${module} asks for ${others[0].fileName}`);
  writeFileSync(`${out}/${module}.js`, code);
}
