"""How much of a change of the scores reaches the weights?

The derivative of softmax is the matrix p_j (δ_jk - p_k). Prints its Frobenius norm and its trace, with respect
to the scaled scores, and the norm with respect to q·k: the mean over trials ± its standard error. Before that
the same of one row of scores, in double and in single precision.
"""

# The settings.
scores = [[50, 1, 1, 1]]
d_k = 64
d = [8, 32, 64, 128, 512]
n_keys = [8, 64]
scale = ["none", "1/sqrt(d)"]
trials = 1000
seed = 0

import numpy as np
from lab.show import show
from lab.trials import drawn, factor, scores_of, softmax


def diagonal_of(p):
    """p_j (1 - p_j), with 1 - p_j as the sum of the others for the largest: nothing is lost where it is nearly 1."""
    largest = p.argmax(-1)[..., None]
    others = np.where(np.arange(p.shape[-1]) == largest, 0, p).sum(-1, keepdims=True)
    return np.where(np.arange(p.shape[-1]) == largest, p * others, p * (1 - p))


def frobenius_of(p):
    """Off the diagonal stand the squares of p_j p_k, each twice."""
    squares = p**2
    before = squares.cumsum(-1) - squares
    before[..., 0] = 0
    return np.sqrt((diagonal_of(p) ** 2 + 2 * squares * before).sum(-1))


for each in scale:
    at = {"d_k": d_k, "scale": each}
    row = factor(each, d_k) * np.array(scores[0], np.float32).astype(np.float64)
    p = softmax(row)
    show("example_frobenius", frobenius_of(p), **at)
    show("example_slope", diagonal_of(p)[p.argmax()], **at)
    p = softmax(row.astype(np.float32))
    jacobian = p * (np.eye(len(p), dtype=np.float32) - p[:, None])
    show("example_frobenius_fp32", np.sqrt((jacobian.astype(np.float64) ** 2).sum()), **at)
    show("example_slope_fp32", jacobian[p.argmax(), p.argmax()], **at)

most = max(n_keys)
for width in sorted(set(d)):
    drawn_scores = np.concatenate([scores_of(rows) for rows in drawn(seed, width, most + 1, trials)])
    for n in sorted(set(n_keys)):
        for each in scale:
            at = {"d": width, "n_keys": n, "scale": each}
            p = softmax(factor(each, width) * drawn_scores[:, :n])
            norm = frobenius_of(p)
            show("jacobian_frobenius", norm, **at)
            show("jacobian_trace", diagonal_of(p).sum(-1), **at)
            show("jacobian_frobenius_raw", abs(factor(each, width)) * norm, **at)
