/** Of a story's words and figures. `html`: its page, with or without what the build writes into it. */
export function storyStamp(html: string): string;
/** The page with links to the papers that say the same; `names` of these. */
export function withPapers(html: string): { html: string; names: string[] };
