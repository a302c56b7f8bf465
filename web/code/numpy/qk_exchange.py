"""Does it matter whether a score is q times k or k times q?

S = Q Kᵀ and K Qᵀ are each other's transpose, softmax of their rows is not. Prints the variance of q's components
± its standard error, how far the weights and their sums are apart, and all scores and weights. What rounding
alone makes of the rest is not here.
Left out: score_mismatches, swapped_mismatches, row_sum_error, column_sum_error_swapped
"""

# The settings.
n = 8
d_model = 512
d_k = 64
scale = "1/sqrt(d)"
w_k = "own"
seed = 0

import numpy as np
from lab.random import normal, stream_of
from lab.show import show, show_row
from lab.trials import factor, softmax


def matrix(name, n_rows, n_columns):
    numbers = normal(seed, stream_of(name), n_rows * n_columns)
    return numbers.reshape(n_rows, n_columns).astype(np.float64)


# Xavier's N(0, 2 / (d_model + d_k)).
sd = np.float64(np.float32(np.sqrt(2 / (d_model + d_k))))
x = matrix("x", n, d_model)
q = x @ (sd * matrix("w_q", d_k, d_model)).T
k = x @ (sd * matrix(w_k if w_k == "w_q" else "w_k", d_k, d_model)).T
scores = q @ k.T
times = factor(scale, d_k)
weights, swapped = softmax(times * scores), softmax(times * scores.T)

squares = (q**2).mean(0)  # a column of q is a trial
show("q_variance", squares)
show("weights_difference", abs(weights - swapped.T).max())
show("column_sum_error", abs(weights.sum(0) - 1).max())
show("row_sum_error_swapped", abs(swapped.T.sum(1) - 1).max())
for name, rows in (
    ("scores", scores),
    ("scores_swapped", scores.T),
    ("weights", weights),
    ("weights_swapped_transposed", swapped.T),
):
    for i, row in enumerate(rows):
        show_row(name, row, row=i)
