type Words = Record<string, Record<string, string>>;

/** The words that the figures' module can say, and the others. `sources`: its C++, where its keys stand. */
export function splitWords(vocabulary: Words, sources?: string): { first: Words; rest: Words };
/** A plug-in of bundlers. */
export function words(): {
  name: string;
  enforce: "pre";
  load(id: string): { code: string; moduleType: "js" } | null;
};
