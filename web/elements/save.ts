// Saving, in one file with the elements. The site's build puts save_later.ts in its place.
export { saveAs } from "./exports.ts";
export { tagText } from "./tag_text.ts";
