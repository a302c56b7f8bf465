// The reader's own files as texts of parameters: numbers from CSV or .npy, any other file in Base64.
import type { First } from "../../bindings/api/first.ts";
import type { Values } from "../../bindings/api/listing.ts";

interface Npy {
  readonly formats: Pick<First["formats"], "readNpy">;
}

const maxBytes = 16e6;

/** An error with the fields of the library's errors, so that it is said in the reader's language. */
class FileError extends Error {
  readonly code: string;
  readonly argument: string;
  readonly expected: string;
  readonly got: string;

  constructor(code: string, argument: string, expected: string, got: string) {
    super(`${argument}: expected ${expected}, got ${got}`);
    [this.code, this.argument, this.expected, this.got] = [code, argument, expected, got];
  }
}

/** The text of a matrix; `argument` is named in errors. Rejects with typed errors. */
export async function readMatrixFile(file: Blob, argument: string, kernels: Npy): Promise<string> {
  if (file.size > maxBytes) {
    throw new FileError("too_many", argument, "16 MB", `${Math.ceil(file.size / 1e6)} MB`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = isNpy(bytes) ? npyText(bytes, argument, kernels) : csvText(bytes, argument);
  // Without a number it would mean "not given".
  if (text === "") throw new FileError("empty", argument, "at least 1 number", "an empty file");
  return text;
}

/** A whole file in Base64, of at most `most` bytes. Rejects with typed errors. */
export async function readFile(file: Blob, argument: string, most = maxBytes): Promise<string> {
  const bytes = (count: number): string => `${count} bytes`;
  if (file.size > most) throw new FileError("too_many", argument, bytes(most), bytes(file.size));
  if (file.size === 0) throw new FileError("empty", argument, "at least 1 byte", "an empty file");
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader(); // encodes without blocking the page
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error("FileReader"));
    reader.readAsDataURL(file);
  });
  return address.slice(address.indexOf(",") + 1);
}

function csvText(bytes: Uint8Array, argument: string): string {
  if (bytes.includes(0)) throw new FileError("unsupported", argument, "CSV, .npy", "another kind of file");
  return new TextDecoder().decode(bytes).replace(/\r\n?/g, "\n").trimEnd();
}

function npyText(bytes: Uint8Array, argument: string, kernels: Npy): string {
  const { shape, data } = readNpy(bytes, argument, kernels);
  if (shape.slice(0, -2).some((size) => size !== 1)) {
    throw new FileError("wrong_shape", argument, "(rows, columns)", `(${shape.join(", ")})`);
  }
  return matrixText(data, shape.at(-1) ?? data.length);
}

function isNpy(bytes: Uint8Array): boolean {
  return [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59].every((byte, index) => bytes[index] === byte); // \x93NUMPY
}

/** The kernels know no names of parameters: their error is said of `argument`. */
function readNpy(bytes: Uint8Array, argument: string, kernels: Npy): Values {
  try {
    return kernels.formats.readNpy(bytes);
  } catch (error) {
    if (error instanceof Error && "code" in error) {
      const { code, expected, got } = error as Error & Record<"code" | "expected" | "got", unknown>;
      throw new FileError(String(code), argument, String(expected), String(got));
    }
    throw error;
  }
}

/** Rows on lines; the shortest digits that read back as the same float32. */
export function matrixText(values: Float32Array, columns: number): string {
  const rows: string[] = [];
  for (let start = 0; start < values.length; start += columns) {
    rows.push(Array.from(values.subarray(start, start + columns), shortest).join(","));
  }
  return rows.join("\n");
}

function shortest(value: number): string {
  for (let digits = 6; digits < 9; ++digits) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) return text;
  }
  return String(Number(value.toPrecision(9)));
}
