// What the bundlers' plug-ins make of files: scripts/build_embed.mjs, web/page/words.mjs.

declare module "*.css?text" {
  const text: string;
  export default text;
}

// A part of the elements' words: what the figures' module can say, and the rest.
declare module "*.json?first" {
  const words: import("../words/vocabulary.ts").Words;
  export default words;
}
declare module "*.json?rest" {
  const words: import("../words/vocabulary.ts").Words;
  export default words;
}
