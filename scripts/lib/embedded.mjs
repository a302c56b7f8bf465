// Files inside a script: text that no parser of HTML, editor or minifier changes, and that compresses like the bytes do.

/**
 * What the entries' decoder takes off again (bindings/entry/embedded.ts). With 35, the first character is "#": no byte
 * becomes a quotation mark, a line's end or a zero, and only two want a backslash. Compressed by brotli, a module is
 * 1.3 % larger than its file; base64 of the file is 30 % larger, and of the deflated file 29 %.
 */
const shift = 35;

/** In front of a classic script: browsers then read it as UTF-8 whatever the page's or the server's encoding is. */
export const byteOrderMark = "\uFEFF";

/** A string literal of which each character is a byte and `shift`. */
export function bytesLiteral(bytes) {
  const characters = Array.from(bytes, (byte) => String.fromCharCode(byte + shift)).join("");
  return safeInHtml(`"${characters.replace(/["\\]/g, "\\$&")}"`);
}

export function textLiteral(text) {
  return safeInHtml(JSON.stringify(text));
}

/** The same script where its strings, templates and patterns hold what would end or change a script in HTML. */
export function safeInHtml(code) {
  const safe = code.replace(/<(?=!--|\/?script)/gi, "\\x3C");
  if (/[\0\r]/.test(safe)) throw new Error("a parser of HTML changes NUL and CR: write them as escapes");
  return safe;
}

/** The declaration of a module's wasm and worker, for the head of a script (bindings/entry/generated.d.ts). */
export function embeddedModule(name, wasm, worker) {
  return `const sqrtdk_${name}={wasm:${bytesLiteral(wasm)},worker:${textLiteral(worker)}};`;
}
