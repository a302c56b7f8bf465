// Models of tokens, and from the files that people have.
import { bound } from "./bound.ts";
import type { Bound } from "./bound.ts";
import { bytesOf, objectOf } from "./given.ts";
import { checked } from "./known_names.ts";
import { LanguageModel, LoadedModel, packNames } from "./language_model.ts";
import type { PackOptions } from "./language_model.ts";
import type { LanguageModelConfig } from "./layer_config.ts";
import type { Pointer } from "./signature.ts";
import * as operators from "./signatures.ts";
import type { TensorMemory } from "./tensor.ts";
import { Tokenizer } from "./tokenizer.ts";

type Bytes = Uint8Array | ArrayBuffer;

/** All throw `FormatError` naming the tensor and the reason, and `OutOfMemoryError`; nothing is left half read then. */
export interface Models {
  /** Decoder-only (GPT, Llama), or encoder-only with `causal: false`. Throws `ValueError` for an invalid config. */
  readonly LanguageModel: Bound<LanguageModelConfig, LanguageModel>;
  /** llama2.c's tokenizer file, which does not say how many pieces it has. */
  readonly Tokenizer: new (bytes: Bytes, vocab: number) => Tokenizer;
  /** The model of a llama2.c file, such as stories260K.bin; with `weights`, packed so (`LanguageModel.pack`). */
  loadLlama2c(bytes: Bytes, options?: PackOptions): LanguageModel;
  /** The model of a small GPT-2 as JSON; or of a JSON file that names NumPy files, which are given by name. */
  loadNanoGpt(json: Bytes | string, files?: Readonly<Record<string, Bytes>>): LanguageModel;
}

export function makeModels(memory: TensorMemory): Models {
  const { border } = memory;
  const Model = bound(memory, "LanguageModel", LanguageModel);

  function loadLlama2c(file: Bytes, options: PackOptions = {}): LanguageModel {
    const op = "loadLlama2c";
    const { weights } = checked(op, "options", options, packNames);
    const handle = border.withBytes(op, bytesOf(op, "bytes", file), (bytes) =>
      border.call(op, operators.loadLlama2c, { bytes }),
    );
    const model = new Model(new LoadedModel(handle));
    if (weights !== undefined) model.pack({ weights });
    return model;
  }

  function loadNanoGpt(json: Bytes | string, files: Readonly<Record<string, Bytes>> = {}): LanguageModel {
    const op = "loadNanoGpt";
    const text = typeof json === "string" ? new TextEncoder().encode(json) : bytesOf(op, "json", json);
    const placed: Pointer[] = [];
    try {
      const list = Object.entries(objectOf(op, "files", files)).map(([name, given]) => {
        const bytes = bytesOf(op, name, given);
        const pointer = border.allocate(op, bytes.length);
        placed.push(pointer);
        border.raw.bytes(pointer, bytes.length).set(bytes);
        return `${name.replaceAll("\0", "\uFFFD")}\0${pointer},${bytes.length}`;
      });
      const handle = border.withBytes(op, text, (document) =>
        border.withText(op, list.join("\0"), (listing) =>
          border.call(op, operators.loadNanoGpt, { json: document, files: listing }),
        ),
      );
      return new Model(new LoadedModel(handle));
    } finally {
      for (const pointer of placed) border.raw.release(pointer);
    }
  }

  return { LanguageModel: Model, Tokenizer: bound(memory, "Tokenizer", Tokenizer), loadLlama2c, loadNanoGpt };
}
