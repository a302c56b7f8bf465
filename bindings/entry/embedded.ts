// A wasm file that stands in the script: scripts/lib/embedded.mjs puts it there.
import { LoadError } from "../api/load_error.ts";
import { compile } from "../api/module.ts";

const shift = 35;
const magic = "#\u0084\u0096\u0090"; // "\0asm"

/** Compiles the file of these characters, once. */
export function embedded(characters: () => string): () => Promise<WebAssembly.Module> {
  let compiled: Promise<WebAssembly.Module> | undefined;
  const compileOnce = async (): Promise<WebAssembly.Module> => {
    try {
      return await compile(bytesOf(characters()));
    } catch (error) {
      compiled = undefined;
      throw error;
    }
  };
  return () => (compiled ??= compileOnce());
}

function bytesOf(characters: string): Uint8Array<ArrayBuffer> {
  if (!characters.startsWith(magic)) {
    const advice =
      'Put <meta charset="utf-8"> at the top of the page, or charset="utf-8" on the <script> tag';
    throw new LoadError("compile", "not_wasm", { got: "this script was not read as UTF-8", advice });
  }
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = characters.charCodeAt(i) - shift;
  return bytes;
}
