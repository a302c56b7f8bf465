import { expect, test } from "vitest";
import { withTexts } from "../../../web/story/fields.ts";

test("a field waits beside its value, or beside what stands in it while it is empty", () => {
  const number = '<input class="score" type="number" aria-label="first score" value="89"/>';
  const text = '<input\n  class="own"\n  type="text" placeholder="The &#34;cat&#34;" value=""/>';
  expect(withTexts(number)).toBe(
    `<span class="field-text score">89</span><template class="field">${number}</template>`,
  );
  expect(withTexts(`<label>${text}</label>`)).toBe(
    `<label><span class="field-text own">The &#34;cat&#34;</span><template class="field">${text}</template></label>`,
  );
});

test("sliders and choices stand as they are", () => {
  const others = '<input type="range" min="0" value="1"/><input type="radio" name="text" value="text"/>';
  expect(withTexts(others)).toBe(others);
});
