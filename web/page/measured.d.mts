/** By its name what was measured last, as text. */
export type Measured = Readonly<Record<string, string>>;

export function told(text: string, measured: Measured): string;
