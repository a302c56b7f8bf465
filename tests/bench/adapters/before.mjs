// The build that --before names: the same adapter, for which page.html's import map has the other package.
export { create } from "./sqrtdk.mjs?before";
