// Numbers and tensors from files, and to them.
import { choiceOf } from "./choice.ts";
import { readCsv, readNpy } from "./files.ts";
import type { Files } from "./files.ts";
import { bytesOf, objectOf, textOf } from "./given.ts";
import { checked } from "./known_names.ts";
import type { Names } from "./known_names.ts";
import { listingOf, parseListing } from "./listing.ts";
import * as operators from "./signatures.ts";
import type { Dtype } from "./signatures.ts";
import type { Tensor, TensorLike, TensorMemory } from "./tensor.ts";

/** What a safetensors file holds. The tensors are the caller's to dispose. */
export interface SafeTensors {
  readonly tensors: Readonly<Record<string, Tensor>>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** How a safetensors file is written. */
export interface SaveOptions {
  /** The type of the numbers in the file, rounded to nearest even. Default `f32`. */
  readonly dtype?: Dtype;
  readonly metadata?: Readonly<Record<string, string>>;
}

export const saveNames: Names<SaveOptions> = { dtype: 1, metadata: 1 };

/** All throw `FormatError` naming the place and the reason, and `OutOfMemoryError`; nothing is left half read then. */
export interface Formats extends Files {
  /** F32, F16 and BF16 tensors of at most 6 dimensions, as float32. */
  readSafetensors(bytes: Uint8Array | ArrayBuffer): SafeTensors;
  /** NumPy's .npy: float32, row-major. Equal tensors give equal bytes. (`readNpy` takes finite numbers only.) */
  writeNpy(tensor: TensorLike): Uint8Array<ArrayBuffer>;
  /** Equal contents give equal bytes. Throws `ValueError`. */
  writeSafetensors(
    tensors: Readonly<Record<string, TensorLike>>,
    options?: SaveOptions,
  ): Uint8Array<ArrayBuffer>;
}

export function makeFormats(memory: TensorMemory): Formats {
  const { border } = memory;

  function readSafetensors(bytes: Uint8Array | ArrayBuffer): SafeTensors {
    const op = "readSafetensors";
    return border.withBytes(op, bytesOf(op, "bytes", bytes), (placed) => {
      const listing = border.call(op, operators.readSafetensors, { bytes: placed });
      const [metadata, ...tensors] = parseListing(border, listing);
      return {
        tensors: Object.fromEntries(
          tensors.map(({ name, pointer, shape }) => [name, memory.adopt(pointer, shape)]),
        ),
        metadata: JSON.parse(metadata?.name || "{}") as Record<string, string>,
      };
    });
  }

  function writeSafetensors(
    tensors: Readonly<Record<string, TensorLike>>,
    options: SaveOptions = {},
  ): Uint8Array<ArrayBuffer> {
    const op = "writeSafetensors";
    checked(op, "options", options, saveNames);
    const dtype = choiceOf(op, "dtype", operators.dtypeNames, options.dtype ?? "f32");
    return memory.scope(() =>
      border.withText(op, listingOf(memory, op, "tensors", tensors), (list) =>
        border.withText(op, metadataText(op, options.metadata), (metadata) =>
          border.call(op, operators.writeSafetensors, { tensors: list, dtype, metadata }),
        ),
      ),
    );
  }

  function writeNpy(tensor: TensorLike): Uint8Array<ArrayBuffer> {
    const op = "writeNpy";
    return memory.scope(() => border.call(op, operators.writeNpy, { x: memory.take(op, "tensor", tensor) }));
  }

  return {
    readCsv: (text) => readCsv(border, text),
    readNpy: (bytes) => readNpy(border, bytes),
    writeNpy,
    readSafetensors,
    writeSafetensors,
  };
}

/** "\0key\0value..": what C++ reads. */
export function metadataText(operator: string, metadata: Readonly<Record<string, string>> = {}): string {
  const fields = Object.entries(objectOf(operator, "metadata", metadata)).flat();
  return ["", ...fields]
    .map((field) => textOf(operator, "metadata", field).replaceAll("\0", "\uFFFD"))
    .join("\0");
}
