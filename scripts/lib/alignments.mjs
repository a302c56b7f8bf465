// What the loads and stores of a WebAssembly module say of their addresses.
import { code, codeOf, functionsOf, moduleOf, sectionsOf } from "./wasm_code.mjs";

/**
 * The module with nothing said of any address, so that like code is like bytes. No result hangs on it, and it is only where
 * processors have no unaligned access, and so no engine vectors, that engines make use of it.
 */
export function withoutAlignments(module) {
  const sections = sectionsOf(module);
  const without = (part) => (part.alignment === undefined ? part : { alignment: 0 });
  return moduleOf(module, sections, {
    [code]: () =>
      codeOf(functionsOf(sections).map(({ parts, ...rest }) => ({ ...rest, parts: parts.map(without) }))),
  });
}
