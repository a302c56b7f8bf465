import { expect, test } from "vitest";
import { readGuesses } from "../../../web/story/guesses.ts";

const storage = (text: string | null) => () => ({ getItem: () => text }) as unknown as Storage;

test("guesses are read as they were kept", () => {
  expect(readGuesses(storage('{"a":"0.5","b":"cat"}'))).toEqual({ a: "0.5", b: "cat" });
});

test.each([null, "", "nonsense", "null", "[1]", '{"a":1,"b":null}', '"a"'])("%s is no guess", (text) => {
  expect(readGuesses(storage(text))).toEqual({});
});

test("a storage that is refused holds none", () => {
  expect(
    readGuesses(() => {
      throw new DOMException("refused", "SecurityError");
    }),
  ).toEqual({});
});
