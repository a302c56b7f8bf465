// A racer's checkpoint as a file.
import { download } from "../elements/exports.ts";
import type { Racer } from "./racer.ts";

/** Rejects where its worker cannot be asked. */
export async function saveCheckpoint(racer: Racer): Promise<void> {
  const { scale, n_heads } = racer.plan;
  const name = `training_race-${scale}-h${n_heads}-step${racer.steps}`;
  const bytes = await racer.checkpoint();
  const file = `${name.replace(/[^\w.-]+/g, "_")}.safetensors`;
  if (bytes) download(new Blob([bytes]), file, "application/octet-stream");
}
