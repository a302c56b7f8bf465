// Tokens per second of a llama2.c model, and what an operator costs of each token.
//
// The whole is one call that generates `tokens` tokens from the first on. An operator is measured apart, as its calls
// for one token through the package, with half of the tokens in the past; the same calls on the smallest operands are
// subtracted, which leaves the work on the numbers. What calls cost whatever their operands (names of tensors, choosing
// tiles) is that of a token of a model with as many layers of the smallest sizes. The rest of the whole is what has no
// line: residual sums, splitting heads, the choice of the token.
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { sizesOf, syntheticModel } from "./llama2c.mjs";
import { versionOf } from "./libraries.mjs";
import { measure } from "./measure.mjs";
import { table } from "./report.mjs";
import { withBrowser } from "./run.mjs";

const tokens = 256;
const ending = ", smallest";
const large = { d_model: 512, d_ff: 1376, n_layers: 8, vocab: 4096 }; // 110 MB: more than caches hold

/** The report as text. Options: see options.mjs. */
export async function decoding(options) {
  const { model, engine, packages, json, markdown, rounds, attempts, budget } = options;
  const file = model ? readFileSync(model) : syntheticModel(options.large ? large : {});
  const sizes = sizesOf(file);
  const workload = {
    id: "decoding",
    kind: "decoding",
    sizes,
    inputs: [],
    tokens: Math.min(options.large ? tokens / 16 : tokens, sizes.context),
  };
  const result = await withBrowser({ engine, packages }, async ({ result, open, answers }) => {
    answers["/model"] = Buffer.from(file.buffer, file.byteOffset, file.length);
    result.versions.sqrtdk = versionOf("sqrtdk", packages);
    const pages = { decoding: await open("decoding") };
    const effort = { rounds, attempts, budget };
    result.rows = await measure(workload, ["decoding"], { pages, open, answers, ...effort });
    return result;
  });
  const failed = result.rows.find((row) => row.failed);
  if (failed) throw new Error(`${failed.variant}: ${failed.failed}`);
  const costs = costsOf(result.rows, workload.tokens);
  const name = model ? basename(model) : "weights that mean nothing";
  if (json) writeFileSync(json, `${JSON.stringify({ ...result, name, sizes, costs }, null, 1)}\n`);
  return decodingReport({ ...result, name, sizes, costs, tokens: workload.tokens }, markdown);
}

/** { whole, parts: [[name, µs]] }: µs per token; the last parts are the calls and the rest. */
export function costsOf(rows, tokens) {
  const time = (variant) => {
    const { ms, min, disturbed } = rows.find((row) => row.variant === variant);
    return 1e3 * (disturbed ? min : ms); // differences of disturbed medians would mean nothing
  };
  const pairs = rows.filter(({ variant }) => variant.endsWith(ending));
  const names = pairs.map(({ variant }) => variant.replace(ending, "")).filter((name) => name !== "token");
  const work = names.map((name) => [name, Math.max(0, time(name) - time(name + ending))]);
  const parts = [...work, ["calls", time(`token${ending}`) / tokens]];
  const whole = time("token") / tokens;
  return { whole, parts: [...parts, ["rest", parts.reduce((left, [, cost]) => left - cost, whole)]] };
}

export function decodingReport({ browser, cpu, date, versions, rows, name, sizes, costs, tokens }, markdown) {
  const { whole, parts } = costs;
  const share = (cost) => `${((100 * cost) / whole).toFixed(0)} %`;
  const body = [...parts, ["whole", whole]].map(([part, cost]) => [part, cost.toFixed(1), share(cost)]);
  const narrower = rows
    .filter(({ variant }) => /^token, (bf16|int8)$/.test(variant))
    .map(({ variant, ms, min, disturbed }) => {
      const each = (disturbed ? min : ms) / tokens;
      return `with ${variant.replace("token, ", "")} weights ${Math.round(1e3 / each)}`;
    });
  const sized = Object.entries(sizes).map(([size, value]) => `${size} ${value}`);
  const disturbed = rows.some((row) => row.disturbed)
    ? "\n\nSamples were disturbed, of which the least time is taken: wants a machine that does nothing else."
    : "";
  return [
    `${browser}, one thread, ${cpu}, ${date}, ${versions.sqrtdk}`,
    `${name} (${sized.join(", ")}): ${[`${Math.round(1e6 / whole)} tokens per second`, ...narrower].join(", ")}, ${tokens} at a time`,
    table(["operator", "µs per token", "share"], body, markdown) + disturbed,
  ].join("\n\n");
}
