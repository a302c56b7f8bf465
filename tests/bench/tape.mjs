// A transformer's operators in double precision, forward and backward, one plain loop per formula.

/** Rows of `width` numbers, and the gradient that backward adds to. */
export class Value {
  constructor(values, width) {
    this.values = values;
    this.width = width;
    this.gradient = new Float64Array(values.length);
  }
  get rows() {
    return this.values.length / this.width;
  }
}

const zeros = (rows, width) => new Value(new Float64Array(rows * width), width);

/** Remembers what was computed, so that `backward` can go through it in reverse. */
export class Tape {
  #steps = [];

  /** From the last result, one number, whose gradient is 1. */
  backward(result) {
    result.gradient[0] = 1;
    for (const step of this.#steps.toReversed()) step();
  }

  /** y = x wᵀ + b, with `count` rows of w and b, from row `first` on. */
  linear(x, w, b, first = 0, count = w.rows) {
    const n_in = x.width;
    const y = zeros(x.rows, count);
    const each = (visit) => {
      for (let row = 0; row < x.rows; row++) {
        for (let j = 0; j < count; j++) visit(row * count + j, row * n_in, first + j);
      }
    };
    each((at, xAt, j) => {
      let sum = b.values[j];
      for (let i = 0; i < n_in; i++) sum += x.values[xAt + i] * w.values[j * n_in + i];
      y.values[at] = sum;
    });
    this.#steps.push(() =>
      each((at, xAt, j) => {
        const dy = y.gradient[at];
        b.gradient[j] += dy;
        for (let i = 0; i < n_in; i++) {
          x.gradient[xAt + i] += dy * w.values[j * n_in + i];
          w.gradient[j * n_in + i] += dy * x.values[xAt + i];
        }
      }),
    );
    return y;
  }

  /** softmax(q kᵀ / sqrt(d)) v per sequence and head; a head is d columns side by side. */
  attention(q, k, v, { batch, n_heads, causal }) {
    const d = q.width / n_heads;
    const [n_q, n_k] = [q.rows / batch, k.rows / batch];
    const out = zeros(q.rows, q.width);
    const inner = (x, at, y, yAt) => {
      let sum = 0;
      for (let c = 0; c < d; c++) sum += x[at + c] * y[yAt + c];
      return sum;
    };
    for (let row = 0; row < q.rows; row++) {
      const [sequence, i] = [Math.floor(row / n_q), row % n_q];
      const seen = causal ? i + 1 : n_k;
      for (let head = 0; head < n_heads; head++) {
        const at = row * q.width + head * d;
        const keys = Array.from({ length: seen }, (_, j) => (sequence * n_k + j) * q.width + head * d);
        const weights = softmax(keys.map((key) => inner(q.values, at, k.values, key) / Math.sqrt(d)));
        keys.forEach((key, j) => {
          for (let c = 0; c < d; c++) out.values[at + c] += weights[j] * v.values[key + c];
        });
        this.#steps.push(() => {
          const dweights = keys.map((key) => inner(out.gradient, at, v.values, key));
          const mean = dweights.reduce((sum, dweight, j) => sum + dweight * weights[j], 0);
          keys.forEach((key, j) => {
            const dscore = (weights[j] * (dweights[j] - mean)) / Math.sqrt(d);
            for (let c = 0; c < d; c++) {
              q.gradient[at + c] += dscore * k.values[key + c];
              k.gradient[key + c] += dscore * q.values[at + c];
              v.gradient[key + c] += weights[j] * out.gradient[at + c];
            }
          });
        });
      }
    }
    return out;
  }

  /** (x - mean) / sqrt(variance + 1e-5) gain + bias, of each row. */
  norm(x, gain, bias) {
    const { width } = x;
    const y = zeros(x.rows, width);
    for (let start = 0; start < x.values.length; start += width) {
      const row = x.values.subarray(start, start + width);
      const mean = row.reduce((sum, value) => sum + value, 0) / width;
      const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width;
      const deviation = Math.sqrt(variance + 1e-5);
      const normal = row.map((value) => (value - mean) / deviation);
      normal.forEach((value, j) => (y.values[start + j] = value * gain.values[j] + bias.values[j]));
      this.#steps.push(() => {
        const dy = y.gradient.subarray(start, start + width);
        const dnormal = dy.map((value, j) => value * gain.values[j]);
        const along = dnormal.reduce((sum, value, j) => sum + value * normal[j], 0) / width;
        const average = dnormal.reduce((sum, value) => sum + value, 0) / width;
        dy.forEach((value, j) => {
          gain.gradient[j] += value * normal[j];
          bias.gradient[j] += value;
          x.gradient[start + j] += (dnormal[j] - average - normal[j] * along) / deviation;
        });
      });
    }
    return y;
  }

  relu(x) {
    const y = new Value(
      x.values.map((value) => Math.max(0, value)),
      x.width,
    );
    this.#steps.push(() => x.values.forEach((value, i) => value > 0 && (x.gradient[i] += y.gradient[i])));
    return y;
  }

  add(x, y) {
    const sum = new Value(
      x.values.map((value, i) => value + y.values[i]),
      x.width,
    );
    this.#steps.push(() => {
      for (const term of [x, y]) sum.gradient.forEach((value, i) => (term.gradient[i] += value));
    });
    return sum;
  }

  /** The rows `ids` of a table. */
  rows(table, ids) {
    const { width } = table;
    const y = zeros(ids.length, width);
    ids.forEach((id, row) => y.values.set(table.values.subarray(id * width, (id + 1) * width), row * width));
    this.#steps.push(() =>
      ids.forEach((id, row) => {
        for (let j = 0; j < width; j++) table.gradient[id * width + j] += y.gradient[row * width + j];
      }),
    );
    return y;
  }

  /** The mean of -log softmax(row)[target]. */
  crossEntropy(logits, targets) {
    const { width, rows } = logits;
    const loss = zeros(1, 1);
    targets.forEach((target, row) => {
      const weights = softmax(logits.values.subarray(row * width, (row + 1) * width));
      loss.values[0] -= Math.log(weights[target]) / rows;
      this.#steps.push(() => {
        weights.forEach((weight, j) => {
          logits.gradient[row * width + j] += (loss.gradient[0] * (weight - (j === target ? 1 : 0))) / rows;
        });
      });
    });
    return loss;
  }
}

export function softmax(x) {
  const largest = x.reduce((a, b) => Math.max(a, b));
  const exps = x.map((value) => Math.exp(value - largest));
  const total = exps.reduce((sum, value) => sum + value, 0);
  return exps.map((value) => value / total);
}
