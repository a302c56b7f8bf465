// What the figures with layers and the race draw with: scripts/build_embed.mjs puts it into sqrtdk.layers.js.
export { parts } from "../elements/layers_parts.ts";
export { SqrtdkRace } from "../elements/sqrtdk_race.ts";
