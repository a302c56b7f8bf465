// Papers are offered while the story says what they say: scripts/lib/papers.mjs.
import { expect, test } from "vitest";
import { storyStamp, withPapers } from "../../scripts/lib/papers.mjs";

const offer = '<p class="paper-offer">On paper: <a href="../paper/no-such.pdf">PDF</a></p>';
const page = (words: string, size: string): string =>
  `<html><main id="main"><p>${words}</p>${offer}<p class="keep-offline" hidden>Keep (${size})</p></main></html>`;

test("a story's stamp is that of its words, whatever the build writes beside them", () => {
  const stamp = storyStamp(page("one", "{size}"));
  expect(storyStamp(page("one", "1.3 MB"))).toBe(stamp);
  expect(storyStamp(page("one", "{size}").replace(offer, ""))).toBe(stamp);
  expect(storyStamp(page("two", "{size}"))).not.toBe(stamp);
});

test("what has not been printed is not offered", () => {
  const { html, names } = withPapers(page("one", ""));
  expect(names).toEqual([]);
  expect(html).not.toContain("paper");
});
