// What can be measured: names of adapters/, and the npm packages behind them.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const packages = {
  onnxruntime: "onnxruntime-web",
  litert: "@litertjs/core",
  tfjs: "@tensorflow/tfjs-backend-wasm",
  jax: "@jax-js/jax",
};
export const peers = Object.keys(packages);
export const titles = {
  onnxruntime: "onnxruntime-web",
  litert: "LiteRT.js",
  tfjs: "TensorFlow.js",
  jax: "jax-js",
};

/** With two threads, the names of this package and of those peers whose adapters can. */
export const withTwo = (peers) =>
  ["sqrtdk", ...peers.filter((name) => ["onnxruntime", "litert"].includes(name))].map((name) => `${name} x2`);

const here = fileURLToPath(new URL(".", import.meta.url));
export const installation = fileURLToPath(new URL("../../build/bench/", import.meta.url));

/** npm ci of package-lock.json into build/bench, unless that has been done. */
export function install() {
  const files = ["package.json", "package-lock.json", ".npmrc"];
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(here + file));
  const [stamp, state] = [`${installation}node_modules/.installed`, hash.digest("hex")];
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === state) return;
  console.error("npm ci in build/bench");
  mkdirSync(installation, { recursive: true });
  for (const file of files) copyFileSync(here + file, installation + file);
  execFileSync("npm", ["ci", "--silent"], { cwd: installation, stdio: ["ignore", "inherit", "inherit"] });
  writeFileSync(stamp, state);
}

/** e.g. "onnxruntime-web 1.30.0" */
export function versionOf(name, ownPackages) {
  if (name === "peak") return "multiply-add peak, 128 bits";
  if (name.endsWith(" x2")) return `${versionOf(name.slice(0, -3), ownPackages)} with two threads`;
  const folder = packages[name] ? `${installation}node_modules/${packages[name]}` : ownPackages[name];
  const { name: full, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  return `${full} ${version}${name === "before" ? " (before)" : ""}`;
}
