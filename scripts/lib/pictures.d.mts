import type { CardFaces, CardLook } from "../../web/page/card.ts";
import type { Language } from "../../web/page/document.ts";

/** Whether the fonts of the Chinese pages' pictures are on this machine. */
export function hasChineseFonts(): boolean;
/** What pictures in a language are set with. Throws where its fonts are not there, and says what to install. */
export function picturesIn(language: Language): {
  faces: CardFaces;
  look: CardLook;
  /** An SVG as PNG. */
  draw(svg: string): Buffer;
};
