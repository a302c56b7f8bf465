import { load as single } from "sqrtdk/single";
import { useAll } from "../../use.js";

export async function load() {
  return { used: JSON.stringify(await useAll({ single })) };
}
