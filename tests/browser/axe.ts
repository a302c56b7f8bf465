// The rules of accessibility, as axe-core checks them.
import { readFileSync } from "node:fs";
import { lowContrasts } from "./contrast.ts";
import type { Page } from "./drivers/index.ts";

interface AxeNode {
  element: Element;
  failureSummary?: string;
  any: readonly { data?: { contrastRatio?: number } }[];
}
type AxeResults = Record<"violations" | "incomplete" | "passes", { id: string; nodes: AxeNode[] }[]>;
declare const axe: { run(context: Element, options: object): Promise<AxeResults> };

const source = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/**
 * Where the page breaks a rule; with `selector`, rules other than that of contrast in this element alone. axe leaves open most
 * contrasts of a page of drawings, formulas and tables: lowContrasts() decides every one.
 */
export async function violations(page: Page, selector = ":root"): Promise<string[]> {
  await page.run(source);
  const found = await page.evaluate(async (selector) => {
    const { violations } = await axe.run(document.querySelector(selector)!, {
      resultTypes: ["violations"],
      rules: { "color-contrast": { enabled: false } },
      elementRef: true,
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ element, failureSummary }) => `${id} ${element.outerHTML.slice(0, 100)} ${failureSummary}`,
      ),
    );
  }, selector);
  return [...found, ...(await lowContrasts(page))];
}

/** Contrasts of which axe thinks otherwise than lowContrasts(), which was called before, or that neither has decided. */
export async function otherContrasts(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { violations, incomplete, passes } = await axe.run(document.documentElement, {
      runOnly: ["color-contrast"],
      elementRef: true,
    });
    const nodesOf = (results: AxeResults["passes"]): AxeNode[] => results.flatMap(({ nodes }) => nodes);
    const say = (element: Element, what: string): string => `${element.outerHTML.slice(0, 100)}: ${what}`;
    return [
      ...nodesOf([...violations, ...passes]).flatMap(({ element, any }) => {
        const [theirs, ours] = [any[0]?.data?.contrastRatio, contrasts.get(element)];
        const same = theirs === undefined || (ours !== undefined && Math.abs(theirs - ours) < 0.02);
        return same ? [] : [say(element, `${theirs} by axe, ${ours} by ours`)];
      }),
      ...nodesOf(incomplete).flatMap(({ element }) =>
        contrasts.get(element) ? [] : [say(element, "undecided")],
      ),
    ];
  });
}
