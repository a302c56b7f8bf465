// The bits of layers and models: values, gradients of inputs and parameters. tests/golden/layer_hashes.inc says what they
// are everywhere; layer_bits_test.cpp computes the same in C++.
import { readFileSync } from "node:fs";
import type { Layer, Sqrtdk, Tensor, TransformerLayerConfig } from "../../bindings/entry/full.ts";
import type { bitsHash } from "./bits_hash.ts";

const file = new URL("./layer_hashes.inc", import.meta.url);

export function expectedLayerHashes(): Record<string, string> {
  const lines = readFileSync(file, "utf8").matchAll(/\{"(.+?)", "(\w+)"\}/g);
  return Object.fromEntries([...lines].map(([, name = "", hash = ""]) => [name, hash]));
}

/** It refers to nothing outside itself, so that its text can run in a page. */
export function layerHashes(sqrtdk: Sqrtdk, hashOf: typeof bitsHash): Record<string, string> {
  const hashes: Record<string, string> = {};
  const small = { dModel: 24, nHeads: 3, dFf: 40, seed: 5 };
  const draw = (stream: number, ...shape: number[]): Tensor => sqrtdk.random.randn(shape, { seed: 11, stream });
  const hash = (name: string, layer: Layer | undefined, ...tensors: Tensor[]): void => {
    const gradients = layer?.gradients() ?? {};
    const own = (layer?.parameters ?? []).map(({ name }) => gradients[name]!);
    hashes[name] = hashOf([...tensors.map((tensor) => tensor.toArray()), ...own.map(({ data }) => data)]);
  };
  const llama: TransformerLayerConfig = {
    ...{ ...small, nHeads: 6, nKvHeads: 2, rotaryBase: 10000, rotaryPairs: "interleaved" },
    ...{ activation: "swiglu", norm: "rms", normFirst: true, bias: false },
  };

  sqrtdk.scope(() => {
    const [x, memory, dout] = [draw(1, 2, 7, 24), draw(2, 2, 5, 24), draw(3, 2, 7, 24)];
    for (const [name, config] of Object.entries({ encoder_layer: small, llama })) {
      const layer = new sqrtdk.nn.EncoderLayer(config);
      const out = layer.forward(x, { causal: "top_left" });
      hash(name, layer, out, layer.backward(dout));
    }
    const decoder = new sqrtdk.nn.DecoderLayer(small);
    const out = decoder.forward(x, memory, { explain: true });
    const { dx, dmemory } = decoder.backward(dout);
    hash("decoder_layer", decoder, out, dx, dmemory);

    const model = new sqrtdk.models.LanguageModel({ ...small, vocab: 13, context: 9, nLayers: 2 });
    const ids = [12, 0, 7, 7, 3, 1, 5];
    const logits = model.forward(ids, { training: true, step: 2 });
    model.backward(draw(4, 1, 7, 13));
    hash("language_model", model, logits);
    const cache = model.makeCache();
    const steps = ids.map((id) => model.decode([id], cache));
    hash("decode", undefined, ...steps);
    hash("positional_encoding", undefined, sqrtdk.ops.positionalEncoding(100, 50));
  });
  return hashes;
}
