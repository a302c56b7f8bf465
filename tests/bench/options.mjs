// The options of scripts/bench, checked; what is wrong with them ends the program.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { engines } from "./browser.mjs";
import { peers as everyPeer } from "./libraries.mjs";
import { workloads } from "./workloads.mjs";

const text = { type: "string" };
const flag = { type: "boolean", default: false };

/**
 * { chosen, peers, threads, rounds, attempts, budget, engine, packages, from, least, update, check, markdown, json, decode,
 * large, model };
 * `from`: files, if any; `packages`: the folders of this package's builds, { sqrtdk, before }, of which the latter may be undefined.
 */
export function readOptions() {
  const given = attempt("", () => {
    const named = {
      only: text,
      peers: text,
      rounds: text,
      budget: text,
      engine: text,
      package: text,
      before: text,
      json: text,
      from: text,
      model: text,
    };
    const flags = {
      quick: flag,
      check: flag,
      markdown: flag,
      list: flag,
      update: flag,
      least: flag,
      decode: flag,
      large: flag,
      threads: flag,
    };
    return parseArgs({ options: { ...named, ...flags } }).values;
  });
  const {
    quick,
    check,
    markdown,
    json,
    least,
    update,
    decode,
    large,
    model,
    threads,
    before,
    engine = "chromium",
  } = given;
  if (!engines.includes(engine)) refuse(`--engine: ${engine} is not one of ${engines.join(", ")}`);

  const from = given.from?.split(",");
  for (const [option, files] of Object.entries({ from, model: model && [model] })) {
    const absent = files?.find((file) => !existsSync(file));
    if (absent !== undefined) refuse(`--${option}: there is no ${absent}`);
  }
  const only = attempt("--only: ", () => new RegExp(given.only ?? ""));
  // Without --only a quick run leaves out what takes long.
  const short = ({ flops = 0 }) => flops < 3e8;
  const chosen = workloads.filter(
    (workload) => only.test(workload.id) && (!quick || given.only || short(workload)),
  );
  if (chosen.length === 0) refuse(`--only: no workload matches ${given.only}`);
  if (given.list) {
    console.log(chosen.map(({ id }) => id).join("\n"));
    process.exit(0);
  }

  const alone = quick || engine === "firefox";
  const peers = (given.peers ?? (alone ? "none" : everyPeer.join()))
    .split(",")
    .filter((name) => name !== "none");
  const unknown = peers.find((name) => !everyPeer.includes(name));
  if (unknown !== undefined) refuse(`--peers: ${unknown} is not one of ${everyPeer.join(", ")}, none`);
  const absent = everyPeer.filter((name) => !peers.includes(name));
  const compares = chosen.some((workload) => workload.goals && workload.peers !== false);
  if (check && compares && absent.length && !from)
    refuse(`--check wants every peer; not chosen: ${absent.join(", ")}`);

  const rounds = Number(given.rounds ?? (quick ? 1 : 5));
  const budget = Number(given.budget ?? (quick ? 40 : 250));
  if (!(rounds >= 1) || !(budget > 0)) refuse("--rounds and --budget want numbers above 0");
  const attempts = quick ? rounds : 2 * rounds + 2;
  const packages = {
    sqrtdk: resolve(given.package ?? fileURLToPath(new URL("../../build/package", import.meta.url))),
    before: before && resolve(before),
  };
  if (before && !existsSync(`${packages.before}/package.json`))
    refuse(`--before: ${before} is no built package`);
  const measured = { chosen, peers, threads, rounds, attempts, budget, engine, packages };
  return { ...measured, from, least, update, check, markdown, json, decode, large, model };
}

function attempt(prefix, read) {
  try {
    return read();
  } catch (error) {
    return refuse(prefix + error.message);
  }
}

function refuse(message) {
  console.error(`${message}\n(scripts/bench --help names the options)`);
  process.exit(2);
}
