// Which processor this is: vendors sell several microarchitectures under one name.
import { readFileSync } from "node:fs";
import { cpus } from "node:os";

/** "AMD EPYC, family 25, model 17"; without the numbers where the system does not tell them. */
export function processor() {
  const { model } = cpus()[0];
  let told;
  try {
    told = readFileSync("/proc/cpuinfo", "utf8");
  } catch {
    return model;
  }
  const numbers = ["cpu family", "model"].map(
    (name) => new RegExp(`^${name}\\s*: (\\d+)$`, "m").exec(told)?.[1],
  );
  return numbers.includes(undefined) ? model : `${model}, family ${numbers[0]}, model ${numbers[1]}`;
}
