// Errors in the reader's language, from their fields: code, argument, what was expected, what came.
import { snakeCase } from "../../bindings/api/camel_case.ts";
import { choice } from "../charts/layout.ts";
import type { Problem } from "./figure_state.ts";
import { fill, word, type Vocabulary } from "../words/vocabulary.ts";

interface Fields {
  code: string;
  argument: string;
  expected: string;
  got: string;
  message?: string;
}

function isFields(error: unknown): error is Fields {
  const fields = error as Partial<Record<keyof Fields, unknown>> | null;
  return (["code", "argument", "expected", "got"] as const).every(
    (name) => typeof fields?.[name] === "string",
  );
}

export function codeOf(error: unknown): string {
  return isFields(error) ? error.code : "";
}

/** Whether a run ended because it was cancelled. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** What came, short enough for a sentence. */
function shorten(text: string): string {
  return text.length > 48 ? `${text.slice(0, 48)}…` : text;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * `error` as a sentence, with the argument beside which it belongs. What nothing that a reader gave explains is in the
 * console as well, whole.
 */
export function problemOf(error: unknown, vocabulary: Vocabulary): Problem {
  if (["", "internal", "worker_failed"].includes(codeOf(error))) console.error(error);
  if (!isFields(error)) {
    return { argument: "", message: fill(word(vocabulary, "errors", "other"), { message: message(error) }) };
  }
  const { code, expected, got } = error;
  const argument = snakeCase(error.argument); // a trainer's field is an experiment's parameter here
  const known = Object.hasOwn(vocabulary.errors, code);
  const choices = code === "not_a_choice" ? choice(expected.replaceAll(", ", ","), vocabulary) : expected;
  const text = fill(word(vocabulary, "errors", known ? code : "other"), {
    argument: word(vocabulary, "params", argument),
    expected: phrase(choices, vocabulary),
    got: shorten(phrase(got, vocabulary)),
    message: message(error),
  });
  return { argument, message: text };
}

/** Ranges, shapes and names are the same in every language; phrases are translated where `expected` has them. */
export function phrase(text: string, vocabulary: Vocabulary): string {
  for (const [pattern, translation] of Object.entries(vocabulary.expected)) {
    const names: string[] = [];
    const literal = pattern.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
    const source = literal.replace(/\{(\w+)\}/g, (_, name: string) => (names.push(name), "(.+?)"));
    const match = new RegExp(`^${source}$`, "s").exec(text);
    if (match)
      return fill(translation, Object.fromEntries(names.map((name, i) => [name, match[i + 1] ?? ""])));
  }
  return text;
}

/** Undefined where it throws: another run says why. */
export function quietly<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
