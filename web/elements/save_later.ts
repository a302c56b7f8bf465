// In the place of save.ts on the site: loaded when a reader saves something, not with the first visit.
import type { saveAs as saved } from "./exports.ts";
export { tagText } from "./tag_text.ts";

export const saveAs: typeof saved = async (...all) => (await import("./exports.ts")).saveAs(...all);
