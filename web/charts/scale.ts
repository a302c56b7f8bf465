// Positions of values on an axis, and the values worth a tick. From d3 only d3-array is taken: d3-scale brings
// colours, dates and interpolators that would weigh more than all of these charts.
import { extent, nice, ticks } from "d3-array";

type Interval = readonly [number, number];

export interface Scale {
  (value: number): number;
  ticks(count: number): number[];
}

function scale(
  domain: Interval,
  range: Interval,
  by: (value: number) => number,
  marks: Scale["ticks"],
): Scale {
  const [start, end] = [by(domain[0]), by(domain[1])];
  const at = (value: number): number =>
    range[0] + ((by(value) - start) / (end - start)) * (range[1] - range[0]);
  return Object.assign(at, { ticks: marks });
}

export function linear(domain: Interval, range: Interval): Scale {
  return scale(domain, range, Number, (count) => ticks(domain[0], domain[1], count));
}

/** Ticks at powers of ten; where there are few, at powers of two if the domain ends at such, else at 1, 2, 5, 10 … */
export function logarithmic(domain: Interval, range: Interval): Scale {
  const base = domain[1] / domain[0] > 50 ? 10 : 2;
  const power = (value: number): number => Math.log(value) / Math.log(base);
  const isPower = (value: number): boolean => Math.abs(power(value) - Math.round(power(value))) < 1e-9;
  if (base === 2 && !domain.every(isPower)) return scale(domain, range, Math.log, () => steps(domain));
  return scale(domain, range, Math.log, (count) => {
    const [first, last] = [Math.ceil(power(domain[0]) - 1e-9), Math.floor(power(domain[1]) + 1e-9)];
    const step = Math.max(1, Math.ceil((last - first) / count));
    const marks: number[] = [];
    for (let exponent = first; exponent <= last; exponent += step) marks.push(base ** exponent);
    return marks;
  });
}

function steps([low, high]: Interval): number[] {
  const first = Math.floor(Math.log10(low));
  const decades = Array.from({ length: 3 }, (_, i) => first + i);
  const marks = decades.flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`)));
  return marks.filter((mark) => mark >= low * (1 - 1e-9) && mark <= high * (1 + 1e-9));
}

/** A scale over `values`; equal ends are widened, on a logarithmic one what is not positive is left out. */
export function scaleOver(values: readonly number[], range: Interval, log: boolean, top?: number): Scale {
  const usable = log ? values.filter((value) => value > 0) : values;
  const [least, most] = extent(usable);
  let low = least ?? (log ? 1 : 0);
  const high = top ?? most ?? 1;
  if (log) return logarithmic(low < high ? [low, high] : [high / 2, high * 2], range);
  if (low > 0 && low < 0.6 * high) low = 0;
  const [start, end] = low < high ? [low, high] : [high - 1, high + 1];
  return linear(nice(start, end, 4), range);
}
