// Text of a page's picture as outlines: set in given fonts, broken into even lines, and refused where no font has a character.
import type { Language } from "./document.ts";

/** A face of a font, as fontkit reads it. */
export interface Face {
  readonly unitsPerEm: number;
  hasGlyphForCodePoint(codePoint: number): boolean;
  layout(text: string): {
    readonly glyphs: readonly { readonly path: Outline }[];
    readonly positions: readonly { xAdvance: number; xOffset: number; yOffset: number }[];
    readonly advanceWidth: number;
  };
}

interface Outline {
  scale(x: number, y: number): Outline;
  translate(x: number, y: number): Outline;
  toSVG(): string;
}

/** Of one style, in order of preference: the first that has a character sets it. */
export type Faces = readonly Face[];

export interface TitleFaces {
  readonly upright: Faces;
  readonly italic: Faces; // of variables in formulas
}

/** Outlines at a size, from a starting point on the baseline. */
interface Shape {
  readonly width: number;
  path(x: number, y: number): string;
}

/** What no line break divides. */
interface Atom {
  readonly shape: Shape;
  /** A blank, if any, before it; breaks are allowed where it `opens`. */
  readonly blank: number;
  readonly opens: boolean;
}

/** At most so many lines of that width, in the first of the sizes at which the text fits. */
export interface Box {
  readonly width: number;
  readonly lines: number;
  readonly sizes: readonly number[];
}

export interface Lines {
  readonly size: number;
  readonly count: number;
  /** Path data, from the first line's baseline on. */
  path(x: number, y: number, leading: number): string;
}

/** Throws where no size fits or a character is in no font. `$\sqrt{d_k}$` is set as a formula. */
export function setText(text: string, language: Language, faces: TitleFaces, box: Box): Lines {
  for (const size of box.sizes) {
    const atoms = atomsOf(text, language, faces, size);
    const lines = evenLines(atoms, box.width);
    if (lines.length > box.lines || lines.some((line) => widthOf(line) > box.width)) continue;
    const path = (x: number, y: number, leading: number): string =>
      lines.map((line, index) => linePath(line, x, y + index * leading * size)).join("");
    return { size, count: lines.length, path };
  }
  throw new Error(`a page's picture has no room for "${text}"`);
}

/** The characters that none of the faces has. */
export function missingCharacters(text: string, faces: Faces): string[] {
  return [...new Set(text)].filter((character) => !faceOf(character, faces));
}

function faceOf(character: string, faces: Faces): Face | undefined {
  return faces.find((face) => face.hasGlyphForCodePoint(character.codePointAt(0)!));
}

// --- shapes ------------------------------------------------------------------------------------------

/** Chinese quotation marks and dashes are as wide as its characters; Latin fonts have narrow ones. */
const wide = /[“”‘’…—]/;

function shapeOf(text: string, language: Language, faces: Faces, size: number): Shape {
  const runs: { face: Face; text: string }[] = [];
  for (const character of text) {
    const preferred = language === "zh" && wide.test(character) ? faces.toReversed() : faces;
    const face = faceOf(character, preferred);
    if (!face) throw new Error(`no font of the pages' pictures has "${character}" of "${text}"`);
    const last = runs.at(-1);
    if (last?.face === face) last.text += character;
    else runs.push({ face, text: character });
  }
  return joined(runs.map((run) => runShape(run.face, run.text, size)));
}

function runShape(face: Face, text: string, size: number): Shape {
  const scale = size / face.unitsPerEm;
  const { glyphs, positions, advanceWidth } = face.layout(text);
  const path = (x: number, y: number): string => {
    let at = x;
    return glyphs
      .map((glyph, index) => {
        const { xAdvance, xOffset, yOffset } = positions[index]!;
        const outline = glyph.path.scale(scale, -scale);
        const data = outline.translate(at + xOffset * scale, y - yOffset * scale).toSVG();
        at += xAdvance * scale;
        return data;
      })
      .join("");
  };
  return { width: advanceWidth * scale, path };
}

function joined(shapes: readonly Shape[]): Shape {
  const width = shapes.reduce((sum, shape) => sum + shape.width, 0);
  const path = (x: number, y: number): string => {
    let at = x;
    return shapes
      .map((shape) => {
        at += shape.width;
        return shape.path(at - shape.width, y);
      })
      .join("");
  };
  return { width, path };
}

/** A square root of a variable with an index, in Unicode's root sign and a bar over what it covers. */
function formulaShape(tex: string, faces: TitleFaces, size: number): Shape {
  const [, variable, index] = /^\\sqrt\{(\w)_(\w)\}$/.exec(tex) ?? [];
  if (!variable || !index) throw new Error(`a page's picture cannot set the formula ${tex}`);
  const sign = shapeOf("√", "en", faces.upright, size);
  const covered = joined([
    shapeOf(variable, "en", faces.italic, size),
    lowered(shapeOf(index, "en", faces.italic, 0.68 * size), 0.17 * size),
  ]);
  const [top, thickness] = [0.815 * size, 0.055 * size];
  const bar: Shape = {
    width: covered.width,
    path: (x, y) =>
      `M${x - 0.04 * size} ${y - top}h${covered.width + 0.06 * size}v${thickness}H${x - 0.04 * size}z`,
  };
  const under: Shape = { width: covered.width, path: (x, y) => bar.path(x, y) + covered.path(x, y) };
  return joined([sign, under, { width: 0.04 * size, path: () => "" }]);
}

function lowered(shape: Shape, by: number): Shape {
  return { width: shape.width, path: (x, y) => shape.path(x, y + by) };
}

// --- lines -------------------------------------------------------------------------------------------

const [closing, opening] = [/^[\p{Pe}\p{Pf}\p{Po}—…]/u, /[\p{Ps}\p{Pi}]$/u];
const chinese = /[\p{Script=Han}，。、：；？！（）《》“”—…]/u;

/** Words, by blanks and in Chinese by a dictionary; punctuation stays with what it belongs to. */
function atomsOf(text: string, language: Language, faces: TitleFaces, size: number): Atom[] {
  const blank = shapeOf(" ", "en", faces.upright, size).width;
  const segmenter = new Intl.Segmenter(language, { granularity: "word" });
  const atoms: Atom[] = [];
  let [before, spaced] = ["", false];
  const add = (word: string, shape: Shape): void => {
    const apart = spaced || chinese.test(before.slice(-1)) || chinese.test(word[0]!);
    const opens = apart && !closing.test(word) && !opening.test(before);
    atoms.push({ shape, blank: spaced && before ? blank : 0, opens });
    [before, spaced] = [word, false];
  };
  text.split("$").forEach((part, index) => {
    if (index % 2 === 1) {
      add(part, formulaShape(part, faces, size));
      return;
    }
    for (const { segment } of segmenter.segment(part)) {
      if (segment.trim() === "") spaced = true;
      else add(segment, shapeOf(segment, language, faces.upright, size));
    }
  });
  return atoms;
}

type Line = readonly Atom[];

function widthOf(line: Line): number {
  return line.reduce((sum, { shape, blank }, index) => sum + shape.width + (index > 0 ? blank : 0), 0);
}

function linePath(line: Line, x: number, y: number): string {
  return line
    .map(({ shape }, index) => shape.path(x + widthOf(line.slice(0, index + 1)) - shape.width, y))
    .join("");
}

function broken(atoms: readonly Atom[], width: number): Line[] {
  const groups: Atom[][] = [];
  for (const atom of atoms) {
    if (atom.opens || groups.length === 0) groups.push([atom]);
    else groups.at(-1)!.push(atom);
  }
  const lines: Atom[][] = [];
  for (const group of groups) {
    const last = lines.at(-1);
    if (last && widthOf([...last, ...group]) <= width) last.push(...group);
    else lines.push([...group]);
  }
  return lines;
}

/** As few lines as the width allows, and as equal as that number allows. */
function evenLines(atoms: readonly Atom[], width: number): Line[] {
  const count = broken(atoms, width).length;
  let [low, high] = [0, width];
  while (high - low > 1) {
    const middle = (low + high) / 2;
    const lines = broken(atoms, middle);
    if (lines.length > count || lines.some((line) => widthOf(line) > middle)) low = middle;
    else high = middle;
  }
  return broken(atoms, high);
}
