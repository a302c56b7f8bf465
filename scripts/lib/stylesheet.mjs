// A style sheet of web/styles as one short text.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The file's rules with its imports in their places, without comments and spaces that mean nothing. */
export function stylesheet(path) {
  return readFileSync(path, "utf8")
    .replace(/@import "(.+?)";/g, (_, name) => stylesheet(join(dirname(path), name)))
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1")
    .trim();
}
