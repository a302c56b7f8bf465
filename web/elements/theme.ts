// How an element in a shadow root takes the look of the page around it: which of our two themes suits, and what the marks
// stand on. What the page's own style sheet says of `--sqrtdk-…` takes precedence.

/** The variables of tokens.css for a frame in a shadow root: in two themes by class, and each with a name for the page. */
export function frameTokens(tokens: string): string {
  return tokens
    .replace(/:root(:lang\(zh\))?,:host(\(:lang\(zh\)\))?/g, ".frame$1")
    .replace(" and (prefers-color-scheme:dark){.frame", "{.frame.dark")
    .replace(
      /--([\w-]+):([^;}]+)/g,
      (_, name: string, value: string) => `--${name}:${publicValue(name, value)}`,
    );
}

/** The text twin of a colour follows the colour; paper is what the page's is where the page does not say. */
function publicValue(name: string, value: string): string {
  const [, colour] = /^(\w+)-ink$/.exec(name) ?? [];
  const own = colour ? `var(--sqrtdk-${colour},${value})` : value;
  return `var(--sqrtdk-${name},${name === "paper" ? `var(--around,${value})` : own})`;
}

/** The tokens' sizes are relative to the page's, but a page that counts in tens ("font-size: 62.5%") means no small text. */
export function inPixels(css: string): string {
  return css.replace(/(\d*\.?\d+)rem\b/g, (_, size: string) => `${16 * Number(size)}px`);
}

export interface Surroundings {
  dark: boolean;
  /** The colour behind the element, where it is known. */
  paper?: string | undefined;
}

/** What tells is the ground; and where that is a picture or nothing, the colour of the page's text on it. */
export function surroundingsOf(element: Element): Surroundings {
  const { color } = getComputedStyle(element);
  for (let around: Element | null = element; around; around = parentOf(around)) {
    const { backgroundColor, backgroundImage } = getComputedStyle(around);
    if (backgroundImage !== "none") break;
    const [lightness, opacity] = shadeOf(backgroundColor);
    if (opacity > 0.9) return { dark: lightness < 0.5, paper: backgroundColor };
  }
  return { dark: shadeOf(color)[0] > 0.5 };
}

/** In the tree as it is drawn. */
function parentOf(element: Element): Element | null {
  const root = element.getRootNode();
  return element.assignedSlot ?? element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

const shades = new Map<string, readonly [number, number]>();
let pixel: CanvasRenderingContext2D | null | undefined;

/** Lightness and opacity, 0..1, of a computed colour. */
function shadeOf(colour: string): readonly [number, number] {
  const known = shades.get(colour);
  if (known) return known;
  const numbers = /^rgba?\((.*)\)$/.exec(colour)?.[1]?.split(",").map(Number);
  const [r = 0, g = 0, b = 0, alpha = 1] = numbers ?? drawn(colour);
  const shade = [(0.299 * r + 0.587 * g + 0.114 * b) / 255, alpha] as const;
  shades.set(colour, shade);
  return shade;
}

/** Of a colour in another space. */
function drawn(colour: string): number[] {
  pixel ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!pixel) return [];
  pixel.clearRect(0, 0, 1, 1);
  pixel.fillStyle = colour;
  pixel.fillRect(0, 0, 1, 1);
  const [r, g, b, alpha = 0] = pixel.getImageData(0, 0, 1, 1).data;
  return [r ?? 0, g ?? 0, b ?? 0, alpha / 255];
}
