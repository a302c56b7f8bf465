// Addresses and paths.
import { pathToFileURL } from "node:url";

/** The address of a file that is given by an address or a path; `C:` is no protocol. */
export function locate(address: string | URL): URL {
  return /^[a-z][a-z\d+.-]+:/i.test(String(address)) ? new URL(address) : pathToFileURL(String(address));
}
