// From a layer's config to the layer in C++.
import { checked } from "./known_names.ts";
import type { Made } from "./layer.ts";
import { initValues, valuesOf } from "./layer_config.ts";
import type { LayerConfig } from "./layer_config.ts";
import { layerKinds } from "./layer_schema.ts";
import type { Field } from "./layer_schema.ts";
import { seed64 } from "./params.ts";
import * as operators from "./signatures.ts";
import type { TensorMemory } from "./tensor.ts";

/** Throws `ValueError` for an invalid config, which is for the class `name`, and `OutOfMemoryError`. */
export function makeLayer<Config extends LayerConfig>(
  { border }: TensorMemory,
  name: string,
  kind: (typeof layerKinds)[number],
  fields: readonly Field[],
  config: Config,
  defaults: (config: Config) => object = () => ({}),
): Made {
  const names = { ...Object.fromEntries(fields.map((field) => [field.name, 1])), seed: 1, init: 1 };
  const { seed: given = 0, init } = checked(name, "config", config, names);
  const seed = seed64(name, given);
  const initial = initValues(name, init);
  const values = [layerKinds.indexOf(kind), ...valuesOf(name, fields, config, () => defaults(config))];
  const handle = border.call(name, operators.makeLayer, { fields: values });
  try {
    border.call(name, operators.initializeLayer, { layer: handle, seed, fields: initial });
  } catch (error) {
    border.call(name, operators.releaseObject, { handle });
    throw error;
  }
  return { handle, seed };
}
