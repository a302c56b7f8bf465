// A number as it stands in a sentence, in a format: `.2` two decimals; `.1%` a percentage with one; `g2` two significant
// digits, with a power of ten where plain ones would be long; `,` a whole number in groups of three.
import { formatDecimals, formatNumber } from "../charts/format.ts";

export const valueFormat = /^(?:\.\d%?|g\d|,)$/;

/** "–" where there is no number. */
export function valueText(value: number | undefined, format: string): string {
  if (value === undefined) return "–";
  const digits = Number(/\d/.exec(format)?.[0] ?? 0);
  if (format.startsWith("g")) return formatNumber(value, digits).replace(" × ", "\u00a0×\u00a0"); // on one line
  const text = formatDecimals(format.endsWith("%") ? 100 * value : value, digits);
  if (format === ",") return text.replace(/\B(?=(\d{3})+$)/g, ",");
  return format.endsWith("%") ? `${text}%` : text;
}
