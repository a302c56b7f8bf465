// A file by its address, in browsers and their kin.

/** As `fetch`. */
export function fetchFile(address: string | URL): Promise<Response> {
  return fetch(address);
}
