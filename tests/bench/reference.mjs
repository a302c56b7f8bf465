// What is right: each kind of workload in double precision, one plain loop per formula.
import { inputsOf } from "./inputs.mjs";
import { layer, train } from "./reference_layers.mjs";
import { softmax } from "./tape.mjs";

const rowsAtMost = 256; // of results that would take minutes

/**
 * { values, width, step }: of the result, seen as rows of `width`, the rows 0, step, 2 step, ... The step is 1
 * except for the largest sizes.
 */
export function referenceOf(workload) {
  const inputs = inputsOf(workload);
  const data = Object.entries(inputs).map(([name, { data }]) => [name, Float64Array.from(data)]);
  const step = workload.flops > 5e9 ? Math.ceil((workload.heads * workload.n_q) / rowsAtMost) : 1;
  return { step, ...kinds[workload.kind](workload, Object.fromEntries(data), step, inputs) };
}

export const hasReference = ({ kind }) => kind in kinds;

const kinds = {
  matmul({ m, n, k }, { a, b }) {
    const values = new Float64Array(m * n);
    for (let i = 0; i < m; i++) {
      for (let l = 0; l < k; l++) {
        const factor = a[i * k + l];
        for (let j = 0; j < n; j++) values[i * n + j] += factor * b[l * n + j];
      }
    }
    return { values, width: n };
  },

  linear: (workload, data) => kinds.matmul(workload, data),

  attention(workload, { q, k, v }, step) {
    const { heads, n_q, n_k, d } = workload;
    const values = new Float64Array(Math.ceil((heads * n_q) / step) * d);
    for (let row = 0; row * step < heads * n_q; row++) {
      const index = row * step;
      const first = Math.floor(index / n_q) * n_k;
      const weights = weightsOf(workload, index % n_q, q.subarray(index * d), k.subarray(first * d));
      weights.forEach((weight, j) => {
        for (let c = 0; c < d; c++) values[row * d + c] += weight * v[(first + j) * d + c];
      });
    }
    return { values, width: d };
  },

  // dv_j = sum_i p_ij dout_i; dp_ij = dout_i . v_j; ds_ij = p_ij (dp_ij - sum_l p_il dp_il);
  // dq_i = scale sum_j ds_ij k_j; dk_j = scale sum_i ds_ij q_i
  attention_backward(workload, { q, k, v, dout }) {
    const { heads, n_q, n_k, d } = workload;
    const [dq, dk, dv] = [q, k, v].map(({ length }) => new Float64Array(length));
    for (let index = 0; index < heads * n_q; index++) {
      const first = Math.floor(index / n_q) * n_k;
      const weights = weightsOf(workload, index % n_q, q.subarray(index * d), k.subarray(first * d));
      const dweights = weights.map((_, j) => dot(dout.subarray(index * d), v.subarray((first + j) * d), d));
      const mean = dot(weights, dweights, weights.length);
      weights.forEach((weight, j) => {
        const dscore = (weight * (dweights[j] - mean)) / Math.sqrt(d);
        for (let c = 0, i = index * d, at = (first + j) * d; c < d; c++, i++, at++) {
          dq[i] += dscore * k[at];
          dk[at] += dscore * q[i];
          dv[at] += weight * dout[i];
        }
      });
    }
    return { values: Float64Array.from([...dq, ...dk, ...dv]), width: d };
  },

  softmax({ rows, columns }, { x }) {
    const values = new Float64Array(x.length);
    for (let i = 0; i < rows; i++)
      values.set(softmax(x.subarray(i * columns, (i + 1) * columns)), i * columns);
    return { values, width: columns };
  },

  layer_norm({ columns }, { x, gain, bias }) {
    const values = x.slice();
    for (let start = 0; start < x.length; start += columns) {
      const row = values.subarray(start, start + columns);
      const mean = sum(row) / columns;
      const variance = sum(row.map((value) => (value - mean) ** 2)) / columns;
      row.set(row.map((value, j) => ((value - mean) / Math.sqrt(variance + 1e-5)) * gain[j] + bias[j]));
    }
    return { values, width: columns };
  },

  encoder: (workload, data, step, inputs) => layer(workload, inputs),
  decoder: (workload, data, step, inputs) => layer(workload, inputs),
  train: (workload, data, step, inputs) => train(workload, inputs),

  gelu: ({ columns }, { x }) => ({
    values: x.map((value) => (value * erfc(-value * Math.SQRT1_2)) / 2),
    width: columns,
  }),
};

/** The weights of query i of a head on those of the head's keys that it sees. */
function weightsOf({ n_q, n_k, d, causal }, i, q, k) {
  const seen = causal ? n_k - n_q + i + 1 : n_k;
  const scores = new Float64Array(seen);
  for (let j = 0; j < seen; j++) scores[j] = dot(q, k.subarray(j * d, (j + 1) * d), d) / Math.sqrt(d);
  return softmax(scores);
}

const sum = (x) => x.reduce((total, value) => total + value, 0);

function dot(x, y, length) {
  let total = 0;
  for (let i = 0; i < length; i++) total += x[i] * y[i];
  return total;
}

/** 1 - erf(x) to 1e-14 relative. Abramowitz and Stegun: the series 7.1.6 near 0, the continued fraction 7.1.14 beyond. */
export function erfc(x) {
  if (x < 0) return 2 - erfc(-x);
  const gauss = Math.exp(-x * x);
  if (x > 1.25) {
    let fraction = x;
    for (let n = 200; n > 0; n--) fraction = x + n / 2 / fraction;
    return gauss / fraction / Math.sqrt(Math.PI);
  }
  let term = x;
  let series = x;
  for (let n = 1; term > 1e-17 * series; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    series += term;
  }
  return 1 - (2 / Math.sqrt(Math.PI)) * gauss * series;
}
