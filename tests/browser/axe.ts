// The rules of accessibility, as axe-core checks them.
import { readFileSync } from "node:fs";
import type { Page } from "./drivers/index.ts";

interface AxeResult {
  violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[];
}
declare const axe: { run(context: Element, options: object): Promise<AxeResult> };

/** Where the page, or the element of this selector, breaks a rule. */
export async function violations(page: Page, selector = ":root"): Promise<string[]> {
  await page.run(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
  return page.evaluate(async (selector) => {
    const { violations } = await axe.run(document.querySelector(selector)!, {
      resultTypes: ["violations"],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id} ${node.target.join(" ")} ${node.failureSummary ?? ""}`),
    );
  }, selector);
}
