/** By source file: a text that it has once, what a mutant makes of it, and why that changes nothing. */
export const harmless: Record<string, [before: string, after: string, reason: string][]>;
