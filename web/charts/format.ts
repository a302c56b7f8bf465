// Numbers as text: the same in every language, chart, table and sentence; and sentences with numbers in them.

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function superscript(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => superscripts[Number(digit)] ?? "").join("");
  return exponent < 0 ? `⁻${digits}` : digits;
}

/** With a true minus sign. */
function signed(text: string): string {
  return text.replace("-", "−");
}

function scientific(value: number, digits: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential(digits - 1).split("e");
  return `${signed(mantissa)} × 10${superscript(Number(exponent))}`;
}

/** `value` with `digits` significant digits: 0.3124, −12.50, 1.50 × 10⁻⁷; "–" where there is none. */
export function formatNumber(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return signed(String(value));
  if (size < 1e-4 || size >= 1e7) return scientific(value, digits);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Number(size.toPrecision(digits)))));
  return signed(value.toFixed(decimals));
}

/** Numbers that are read together: if one needs a power of ten, all large ones have it. */
export function formatTogether(values: readonly (number | null | undefined)[], digits: number): string[] {
  const far = values.some((value) => Math.abs(value ?? 0) >= 1e7);
  return values.map((value) =>
    far && Math.abs(value ?? 0) >= 1e5 && Number.isFinite(value)
      ? scientific(value!, digits)
      : formatNumber(value, digits),
  );
}

/** `value` to the digit that its standard error leaves certain: "0.4123 ± 0.0026". */
export function formatWithError(value: number | null | undefined, se: number | null | undefined): string {
  if (value === null || value === undefined || !se || !Number.isFinite(se) || !Number.isFinite(value)) {
    return formatNumber(value);
  }
  const decimals = 1 - Math.floor(Math.log10(se));
  if (decimals > 8 || Math.abs(value) >= 1e7) return `${formatNumber(value)} ± ${formatNumber(se, 2)}`;
  const places = Math.max(0, decimals);
  return `${signed(value.toFixed(places))} ± ${se.toFixed(places)}`;
}

/** `value` with so many decimals: −2.000. */
export function formatDecimals(value: number | null | undefined, decimals: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return formatNumber(value);
  return signed(value.toFixed(decimals));
}

/** A weight or share as it stands above a bar: 0.312. */
export function formatWeight(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return value > 0 && value < 0.0005 ? "<0.001" : value.toFixed(3);
}

/** An axis tick: short, powers of ten where plain digits would be long. */
export function formatTick(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const exponent = Math.round(Math.log10(size));
  if (size >= 1e5 || size < 1e-3) {
    const mantissa = Number((value / 10 ** Math.floor(Math.log10(size) + 1e-9)).toPrecision(3));
    if (Math.abs(mantissa) === 1) return `${mantissa < 0 ? "−" : ""}10${superscript(exponent)}`;
    return scientific(value, mantissa % 1 === 0 ? 1 : 2);
  }
  return signed(String(Number(value.toPrecision(6))));
}

/** A file's size: 12.3 kB. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : bytes < 999_950 ? 1 : 2;
  return power === 0 ? `${bytes} B` : `${(bytes / 1000 ** power).toFixed(1)} ${power === 1 ? "kB" : "MB"}`;
}

/** An estimate, good enough for margins: the width of `text` in pixels at font size `size`, its digits of one width. */
export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const char of text) {
    width +=
      char > "\u2e80" ? 1 : /[ilj.,:;'|()[\]I ]/.test(char) ? 0.36 : /[mwMW…]/.test(char) ? 0.85 : 0.58;
  }
  return width * size;
}

/** A sentence in which no line ends inside d = 32 or 1/√d. */
export function typeset(text: string): string {
  return spaced(text)
    .replace(/ = /g, "\u00a0=\u00a0")
    .replace(/\/(?=\S)/g, "/\u2060");
}

/** Chinese characters stand apart from Latin and Greek letters and from numbers. */
function spaced(text: string): string {
  return text
    .replace(/(\p{sc=Han})(?=[\p{sc=Latin}\p{sc=Greek}\p{N}])/gu, "$1 ")
    .replace(/([\p{sc=Latin}\p{sc=Greek}\p{N})])(?=\p{sc=Han})/gu, "$1 ");
}
