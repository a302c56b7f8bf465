// A file by its address, in Node and its kin, whose `fetch` reads no files.
import { readFile } from "node:fs/promises";
import { locate } from "./locate.ts";

/** As `fetch`; also of an address `file:` and of a path. */
export async function fetchFile(address: string | URL): Promise<Response> {
  const url = locate(address);
  if (url.protocol !== "file:") return fetch(url);
  return new Response(await readFile(url), { headers: { "Content-Type": "application/wasm" } });
}
