// What a check found, as text to be sent to us.
import type { Check } from "./check_run.ts";

/** In English: whoever reads it may not share the reader's language. */
export function reportText(check: Check, userAgent: string, time: Date): string {
  const { cases, errors } = check;
  const same = check.count("same");
  return [
    `sqrtdk: ${same} of ${cases.length} results with the native build's hash (${check.status})`,
    userAgent,
    time.toISOString(),
    "",
    ...cases.map(({ line, hash, got, status }) => `${status.padEnd(8)} ${hash} ${got || "-"}  ${line}`),
    ...(errors.length > 0 ? ["", "largest errors (bounds)"] : []),
    ...errors.map(
      ({ operator, pass, error, bound, inLastPlaces }) =>
        `${operator} ${pass}: ${error.toPrecision(3)} (${bound})${inLastPlaces ? " units of the last place" : ""}`,
    ),
    "",
  ].join("\n");
}
