// Files of weights: read, written, and as models.
import { choiceOf } from "./choice.ts";
import { bytesOf, objectOf } from "./given.ts";
import { metadataText } from "./layer.ts";
import type { SaveOptions } from "./layer.ts";
import { listingOf, parseListing } from "./listing.ts";
import { LanguageModel } from "./model.ts";
import type { Pointer } from "./signature.ts";
import * as operators from "./signatures.ts";
import type { Tensor, TensorLike, TensorMemory } from "./tensor.ts";
import { Tokenizer } from "./tokenizer.ts";

type Bytes = Uint8Array | ArrayBuffer;

/** What a safetensors file holds. The tensors are the caller's to dispose. */
export interface SafeTensors {
  readonly tensors: Readonly<Record<string, Tensor>>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** All throw `FormatError` naming the tensor and the reason, and `OutOfMemory`; nothing is left half read then. */
export interface Checkpoints {
  /** F32, F16 and BF16 tensors of at most 6 dimensions, as float32. */
  read_safetensors(bytes: Bytes): SafeTensors;
  /** Equal contents give equal bytes. Throws `ValueError`. */
  write_safetensors(
    tensors: Readonly<Record<string, TensorLike>>,
    options?: SaveOptions,
  ): Uint8Array<ArrayBuffer>;

  /** The model of a llama2.c file, such as stories260K.bin. */
  load_llama2c(bytes: Bytes): LanguageModel;
  /** The model of a small GPT-2 as JSON; or of a JSON file that names NumPy files, which are given by name. */
  load_nano_gpt(json: Bytes | string, files?: Readonly<Record<string, Bytes>>): LanguageModel;
  /** llama2.c's tokenizer file, which does not say how many pieces it has. */
  tokenizer(bytes: Bytes, vocab: number): Tokenizer;
}

export function makeCheckpoints(memory: TensorMemory): Checkpoints {
  const { border } = memory;

  function read_safetensors(bytes: Bytes): SafeTensors {
    const op = "read_safetensors";
    return border.withBytes(op, bytesOf(op, "bytes", bytes), (placed) => {
      const listing = border.call(operators.read_safetensors, { bytes: placed });
      const [metadata, ...tensors] = parseListing(border, listing);
      return {
        tensors: Object.fromEntries(
          tensors.map(({ name, pointer, shape }) => [name, memory.adopt(pointer, shape)]),
        ),
        metadata: JSON.parse(metadata?.name || "{}") as Record<string, string>,
      };
    });
  }

  function write_safetensors(
    tensors: Readonly<Record<string, TensorLike>>,
    options: SaveOptions = {},
  ): Uint8Array<ArrayBuffer> {
    const op = "write_safetensors";
    objectOf(op, "options", options);
    const dtype = choiceOf(op, "dtype", operators.dtypeNames, options.dtype ?? "f32");
    return memory.scope(() =>
      border.withText(op, listingOf(memory, op, tensors), (list) =>
        border.withText(op, metadataText(op, options.metadata), (metadata) =>
          border.call(operators.write_safetensors, { tensors: list, dtype, metadata }),
        ),
      ),
    );
  }

  const model = (handle: number): LanguageModel => new LanguageModel(memory, "language_model", handle);

  function load_nano_gpt(json: Bytes | string, files: Readonly<Record<string, Bytes>> = {}): LanguageModel {
    const op = "load_nano_gpt";
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
      return border.withBytes(op, text, (placed) =>
        border.withText(op, list.join("\0"), (listing) =>
          model(border.call(operators.load_nano_gpt, { json: placed, files: listing })),
        ),
      );
    } finally {
      for (const pointer of placed) border.raw.release(pointer);
    }
  }

  return {
    read_safetensors,
    write_safetensors,
    load_llama2c: (bytes) =>
      border.withBytes("load_llama2c", bytesOf("load_llama2c", "bytes", bytes), (placed) =>
        model(border.call(operators.load_llama2c, { bytes: placed })),
      ),
    load_nano_gpt,
    tokenizer: (bytes, vocab) => Tokenizer.from(memory, bytesOf("tokenizer", "bytes", bytes), vocab),
  };
}
