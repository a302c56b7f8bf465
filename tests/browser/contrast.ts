// The contrast of every visible text with what is painted behind it, from the computed colours. axe-core leaves open what
// stands in an SVG or in a box that scrolls, single characters and formulas; here each of them is decided.
import type { Page } from "./drivers/index.ts";

/** An element's lowest contrast, for comparison with others: kept in the page by lowContrasts(). */
declare global {
  var contrasts: Map<Element, number>;
}

/** Texts below what WCAG 2 asks of their size (1.4.3), and those over what has no single colour. */
export async function lowContrasts(page: Page): Promise<string[]> {
  await page.run(`globalThis.measureContrasts = ${measure.toString()}`);
  return page.evaluate(() =>
    (globalThis as unknown as { measureContrasts: typeof measure }).measureContrasts(),
  );
}

/** Runs in the page, so that it can use nothing from outside. */
function measure(): string[] {
  type Color = readonly [red: number, green: number, blue: number, alpha: number];
  interface Painted {
    shape: SVGGeometryElement;
    box: DOMRect;
    style: CSSStyleDeclaration;
  }

  /** `text` is a computed colour; undefined where it is none, but a pattern or a gradient. */
  function parse(text: string): Color | undefined {
    const [, space, inside] = /^(rgba?\(|color\(srgb )([^)]*)\)/.exec(text) ?? [];
    const [red, green, blue, alpha = 1] = inside?.split(/[\s,/]+/).map(Number) ?? [];
    if (red === undefined) return undefined;
    const whole = space!.startsWith("rgb") ? 1 : 255;
    return [red * whole, green! * whole, blue! * whole, alpha];
  }
  function faded([red, green, blue, alpha]: Color, opacity: number): Color {
    return [red, green, blue, alpha * opacity];
  }
  /** Of something painted over something opaque. */
  function over(top: Color, below: Color): Color {
    const mixed = (i: 0 | 1 | 2): number => top[i] * top[3] + below[i] * (1 - top[3]);
    return [mixed(0), mixed(1), mixed(2), 1];
  }
  function luminance(color: Color): number {
    const linear = (i: 0 | 1 | 2): number => {
      const share = color[i] / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2);
  }
  function ratio(a: Color, b: Color): number {
    const [high, low] = [luminance(a), luminance(b)].sort((one, other) => other - one) as [number, number];
    return (high + 0.05) / (low + 0.05);
  }

  const styles = new Map<Element, CSSStyleDeclaration>();
  function styleOf(element: Element): CSSStyleDeclaration {
    const known = styles.get(element) ?? getComputedStyle(element);
    styles.set(element, known);
    return known;
  }

  interface Ground {
    color: Color;
    opacity: number; // of the element and all around it
    seen: boolean;
    picture: boolean;
  }
  const grounds = new Map<Element, Ground>();
  /** What an element's box stands on. */
  function groundOf(element: Element): Ground {
    const known = grounds.get(element);
    if (known) return known;
    const style = styleOf(element);
    const below = element.parentElement
      ? groundOf(element.parentElement)
      : { color: parse("rgb(255, 255, 255)")!, opacity: 1, seen: true, picture: false };
    const opacity = below.opacity * Number(style.opacity);
    const background = parse(style.backgroundColor)!;
    const found = {
      color: over(faded(background, opacity), below.color),
      opacity,
      seen: below.seen && opacity > 0 && style.clipPath !== "inset(50%)", // of what only screen readers get
      picture: (below.picture && background[3] < 1) || style.backgroundImage !== "none",
    };
    grounds.set(element, found);
    return found;
  }

  const drawings = new Map<SVGSVGElement, Painted[]>();
  function shapesOf(svg: SVGSVGElement): Painted[] {
    const known = drawings.get(svg);
    if (known) return known;
    const found = [...svg.querySelectorAll<SVGGeometryElement>("path, rect, circle, line, polygon")]
      .filter((shape) => !shape.closest("defs, clipPath, mask, pattern") && shape.checkVisibility())
      .map((shape) => ({ shape, box: shape.getBoundingClientRect(), style: styleOf(shape) }));
    drawings.set(svg, found);
    return found;
  }

  /** The shapes that may be painted behind a text. */
  function shapesBehind(text: Element, svg: SVGSVGElement): Painted[] {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    return shapesOf(svg).filter(({ shape, box, style }) => {
      const margin = parseFloat(style.strokeWidth);
      const across = box.left - margin <= right && box.right + margin >= left;
      const down = box.top - margin <= bottom && box.bottom + margin >= top;
      return across && down && text.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_PRECEDING;
    });
  }

  /** The colour at a point of a drawing, but undefined for a pattern or a gradient. */
  function colorAt(point: DOMPoint, shapes: readonly Painted[], base: Color): Color | undefined {
    let color: Color | undefined = base;
    for (const { shape, style } of shapes) {
      const place = point.matrixTransform(shape.getScreenCTM()!.inverse());
      const { opacity } = groundOf(shape);
      for (const [paint, alpha, there] of [
        [style.fill, style.fillOpacity, () => shape.isPointInFill(place)],
        [style.stroke, style.strokeOpacity, () => shape.isPointInStroke(place)],
      ] as const) {
        if (paint === "none" || !there()) continue;
        const own = parse(paint);
        const top: Color | undefined = own && faded(own, Number(alpha) * opacity);
        color = top?.[3] === 1 ? top : top && color && over(top, color);
      }
    }
    return color;
  }

  /** Where a drawing's text stands, in points of the window. */
  function pointsOf(text: SVGGraphicsElement): DOMPoint[] {
    const [{ x, y, width, height }, matrix] = [text.getBBox(), text.getScreenCTM()!];
    return [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((across) =>
      [0.3, 0.5, 0.7].map((down) =>
        new DOMPoint(x + across * width, y + down * height).matrixTransform(matrix),
      ),
    );
  }

  const low = new Map<string, number>();
  globalThis.contrasts = new Map();
  function judge(element: Element, said: string): void {
    if (said.trim() === "" || globalThis.contrasts.has(element)) return;
    if (!element.checkVisibility({ visibilityProperty: true })) return;
    const ground = groundOf(element);
    if (!ground.seen) return;
    const style = styleOf(element);
    const svg = element instanceof SVGGraphicsElement ? element.ownerSVGElement : null;
    const paint = parse(svg ? style.fill : style.color);
    let backgrounds: (Color | undefined)[] = [ground.picture ? undefined : ground.color];
    if (svg) {
      const shapes = shapesBehind(element, svg);
      const halo = parse(style.stroke); // around the letters, below them
      backgrounds =
        halo && style.paintOrder.startsWith("stroke") && parseFloat(style.strokeWidth) >= 3
          ? [over(halo, ground.color)]
          : pointsOf(element as SVGGraphicsElement).map((point) => colorAt(point, shapes, ground.color));
    }
    const opacity = ground.opacity * (svg ? Number(style.fillOpacity) : 1);
    const contrast = Math.min(
      ...backgrounds.map((below) => (paint && below ? ratio(over(faded(paint, opacity), below), below) : 0)),
    );
    globalThis.contrasts.set(element, contrast);
    const size = parseFloat(style.fontSize);
    const large = !svg && (size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700));
    if (contrast >= (large ? 3 : 4.5)) return;
    const name = `${element.tagName}.${element.getAttribute("class") ?? ""} “${said.trim().slice(0, 30)}”`;
    low.set(`${name} ${contrast === 0 ? "undecided" : contrast.toFixed(2)}`, contrast);
  }

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const parent = texts.currentNode.parentElement!;
    if (!parent.matches("script, style, option, textarea, title"))
      judge(parent, texts.currentNode.nodeValue!);
  }
  for (const field of document.querySelectorAll<HTMLInputElement>(
    "input:not([type=range], [type=checkbox], [type=radio], [type=file]), select, textarea",
  ))
    judge(field, field.value || "empty");
  return [...low.keys()];
}
