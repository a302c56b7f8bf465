// The operators once more, in double and as plainly as possible.

export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly at: (row: number, column: number) => number;
}

export function matrix(data: ArrayLike<number>, rows: number, columns: number): Matrix {
  return { rows, columns, at: (row, column) => data[row * columns + column] ?? NaN };
}

export function transposed({ rows, columns, at }: Matrix): Matrix {
  return { rows: columns, columns: rows, at: (row, column) => at(column, row) };
}

export function product(a: Matrix, b: Matrix): Matrix {
  const values: number[] = [];
  for (let i = 0; i < a.rows; ++i) {
    for (let j = 0; j < b.columns; ++j) {
      let sum = 0;
      for (let k = 0; k < a.columns; ++k) sum += a.at(i, k) * b.at(k, j);
      values.push(sum);
    }
  }
  return matrix(values, a.rows, b.columns);
}

export function map(a: Matrix, f: (value: number, row: number, column: number) => number): Matrix {
  const values = flat(a).map((value, i) => f(value, Math.floor(i / a.columns), i % a.columns));
  return matrix(values, a.rows, a.columns);
}

/** Over each row; a row of -Infinity gives zeros, as attention does where all is masked. */
export function softmax(a: Matrix): Matrix {
  const values = Array.from({ length: a.rows }, (_, i) => {
    const row = Array.from({ length: a.columns }, (_, j) => a.at(i, j));
    const top = Math.max(...row);
    if (top === -Infinity) return row.map(() => 0);
    const powers = row.map((x) => Math.exp(x - top));
    const sum = powers.reduce((total, x) => total + x, 0);
    return powers.map((x) => x / sum);
  });
  return matrix(values.flat(), a.rows, a.columns);
}

export function flat({ rows, columns, at }: Matrix): number[] {
  return Array.from({ length: rows * columns }, (_, i) => at(Math.floor(i / columns), i % columns));
}

/** NaN where only one of the two is NaN, Infinity where their sizes differ: neither is below any bound. */
export function largestDifference(got: ArrayLike<number>, expected: Matrix): number {
  const wanted = flat(expected);
  if (got.length !== wanted.length) return Infinity;
  return Math.max(0, ...wanted.map((x, i) => (Object.is(x, got[i]) ? 0 : Math.abs(x - (got[i] ?? NaN)))));
}
