// Sliders have whole positions; these turn positions into values that people would choose, and back.
import type { Param } from "../../bindings/api/types.ts";

export interface SliderScale {
  positions: number; // 0 .. positions
  textAt(position: number): string;
  positionOf(text: string): number; // nearest; 0 where the text is no number
}

/** Values of a slider in ascending order. */
function sliderOver(values: readonly number[]): SliderScale {
  return {
    positions: values.length - 1,
    textAt: (position) =>
      String(values[Math.min(Math.max(Math.round(position), 0), values.length - 1)] ?? ""),
    positionOf(text) {
      const value = Number(text);
      let best = 0;
      values.forEach((candidate, index) => {
        if (Math.abs(candidate - value) < Math.abs((values[best] ?? 0) - value)) best = index;
      });
      return best;
    },
  };
}

/** min .. max in steps that multiply, each value once: 1 2 3 4 5 6 7 8 9 10 12 … 1024 with powers of two hit exactly. */
export function powerSteps(min: number, max: number, perDoubling = 8): SliderScale {
  const values = new Set<number>([min]);
  const last = Math.log2(max) * perDoubling;
  for (let step = Math.ceil(Math.log2(min) * perDoubling); step <= last; ++step) {
    const value = Math.round(2 ** (step / perDoubling));
    if (value >= min && value <= max) values.add(value);
  }
  values.add(max);
  return sliderOver([...values].sort((a, b) => a - b));
}

/** 100 120 150 200 … 1000000: round decimal numbers. */
function decimalSteps(min: number, max: number): SliderScale {
  const mantissas = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
  const values: number[] = [];
  for (let power = 10 ** Math.floor(Math.log10(min)); power <= max; power *= 10) {
    for (const mantissa of mantissas) {
      const value = Math.round(power * mantissa);
      if (value >= min && value <= max && value !== values.at(-1)) values.push(value);
    }
  }
  return sliderOver(values);
}

function evenSteps(min: number, max: number, whole: boolean): SliderScale {
  const rough = (max - min) / 60;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10;
  const step = whole ? Math.max(1, Math.round(nice * power)) : nice * power;
  const count = Math.round((max - min) / step);
  return sliderOver(Array.from({ length: count + 1 }, (_, i) => Number((min + i * step).toPrecision(6))));
}

/** The slider of a number with both ends; undefined for everything else. */
export function sliderOf({ type, min, max }: Param): SliderScale | undefined {
  if ((type !== "int" && type !== "real") || min === undefined || max === undefined || !(min < max))
    return undefined;
  if (type === "real" && max - min > 20) return undefined; // a pixel would be too coarse
  if (type === "int" && min >= 1 && max / min >= 30)
    return max > 1e5 ? decimalSteps(min, max) : powerSteps(min, max, 4);
  return evenSteps(min, max, type === "int");
}
