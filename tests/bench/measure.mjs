// Measures: in every round each library and variant takes one sample, in random order, so that whatever slows the
// machine for a while slows them all.
import { watch } from "./contention.mjs";
import { median } from "./median.mjs";
import { hasReference, referenceOf } from "./reference.mjs";

const disturbedAbove = 0.05; // share of a sample that one of our threads waited for a core

/**
 * The rows of one workload: { workload, library, variant, ms, min, samples, disturbed, absolute, relative } or
 * { workload, library, variant, failed }. `names` of libraries; `pages`: those that are open; `open(name)` opens one.
 */
export async function measure(workload, names, { pages, open, answers, rounds, attempts, budget }) {
  const reference = hasReference(workload) ? publish(workload, answers) : undefined;
  const rows = [];
  for (const library of names) {
    const variants = await pages[library].call("variants", workload);
    rows.push(...variants.map((variant) => ({ library, variant, clean: [], disturbed: [] })));
  }
  for (let attempt = 0; attempt < attempts; attempt++) {
    const due = rows.filter((row) => !row.failed && row.clean.length < rounds);
    for (const row of shuffled(due)) {
      try {
        await take(row, workload, pages[row.library], attempt === 0 ? reference : undefined, budget);
      } catch (error) {
        row.failed = String(error.message).split("\n")[0];
        // Its page may be of no further use.
        await pages[row.library].close();
        pages[row.library] = await open(row.library);
      }
    }
  }
  return rows.map((row) => summary(workload, row));
}

async function take(row, workload, page, reference, budget) {
  await page.call("prepare", workload, row.variant);
  if (reference && row.library !== "peak") Object.assign(row, await page.call("error", reference));
  const { value, waited } = await watch(() => page.call("sample", budget));
  (waited < disturbedAbove ? row.clean : row.disturbed).push(value);
  await page.call("release");
}

/** Median over the undisturbed samples; if there are none, over the faster half of the others. */
function summary(workload, { library, variant, failed, clean, disturbed, absolute, relative }) {
  const row = { workload: workload.id, library, variant };
  if (failed) return { ...row, failed };
  const times = (samples) => samples.map((sample) => sample.median).sort((a, b) => a - b);
  const kept = clean.length ? times(clean) : times(disturbed).slice(0, Math.ceil(disturbed.length / 2));
  const min = Math.min(...[...clean, ...disturbed].map((sample) => sample.min));
  const quality = { samples: kept.length, disturbed: clean.length === 0 };
  return { ...row, ms: median(kept), min, ...quality, absolute, relative };
}

/** Makes the reference's numbers available to the pages. */
function publish(workload, answers) {
  const { values, step, width } = referenceOf(workload);
  answers["/reference"] = Buffer.from(values.buffer);
  return { path: "/reference", step, width };
}

/** Bytes of wasm memory of a page in which the workload has been run once. */
export async function memoryOf(workload, page) {
  const before = await page.call("wasmBytes");
  await page.call("prepare", workload, "view");
  return { workload: workload.id, before, after: await page.call("wasmBytes") };
}

function shuffled(items) {
  const keyed = items.map((item) => ({ item, key: Math.random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
