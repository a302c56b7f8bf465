// Whether there can be threads.

// As the module is linked (scripts/cmake/wasm.cmake): 16 MB, which grow to 2 GB.
const size = { initial: 256, maximum: 32768, shared: true };

/** A memory for several threads; none where a page is not cross-origin isolated, or there is no room. */
export function sharedMemory(): WebAssembly.Memory | undefined {
  const { crossOriginIsolated } = globalThis as { crossOriginIsolated?: boolean }; // Node has none
  if (crossOriginIsolated === false || typeof SharedArrayBuffer !== "function") return undefined;
  try {
    return new WebAssembly.Memory(size);
  } catch {
    return undefined;
  }
}
