// How long our threads had to wait for a core: tells samples that other programs disturbed from the rest.
// Linux only; elsewhere nothing counts as disturbed.
import { readdirSync, readFileSync } from "node:fs";

/** Runs `task`: its value, and the largest share of its time that one of our threads waited for a core. */
export async function watch(task) {
  const before = waits();
  const start = process.hrtime.bigint();
  const value = await task();
  const elapsed = Number(process.hrtime.bigint() - start);
  let worst = 0;
  for (const [thread, wait] of waits()) worst = Math.max(worst, wait - (before.get(thread) ?? wait));
  return { value, waited: worst / elapsed };
}

/** Nanoseconds that each thread of this process and of its descendants has been runnable without running. */
function waits() {
  const all = new Map();
  for (const process of descendants()) {
    for (const thread of list(`/proc/${process}/task`)) {
      all.set(thread, Number(read(`/proc/${process}/task/${thread}/schedstat`).split(" ")[1] ?? 0));
    }
  }
  return all;
}

function descendants() {
  const parents = new Map();
  for (const id of list("/proc").filter((name) => /^\d+$/.test(name))) {
    const stat = read(`/proc/${id}/stat`);
    // "id (name) state parent ...", where the name may hold anything.
    if (stat) parents.set(id, stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  }
  const ours = new Set([String(process.pid)]);
  for (let size = 0; size < ours.size;) {
    size = ours.size;
    for (const [id, parent] of parents) if (ours.has(parent)) ours.add(id);
  }
  return ours;
}

const list = (folder) => attempt(() => readdirSync(folder), []);
const read = (file) => attempt(() => readFileSync(file, "utf8"), "");

function attempt(task, otherwise) {
  try {
    return task();
  } catch {
    return otherwise; // a process or thread that has just ended
  }
}
