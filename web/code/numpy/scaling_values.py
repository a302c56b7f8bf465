"""Does it help to divide the values instead of the scores?

One query, its keys and values, and the loss u · output, with 1/√d put in five places. Prints the largest weight,
the share of rows with one above 0.99, ‖∂L/∂q‖ and the size of the output: the mean over trials ± its standard
error. What the library counts besides, weights with other bits, is not here.
Left out: weights_changed, weights_from_scores
"""

# The settings.
d = [32, 128, 512]
n_keys = 8
trials = 400
seed = 0

import numpy as np
from lab.show import show, show_row
from lab.trials import drawn, softmax


def attention(q, k, v, u, scale):
    """Weights [trials, n], outputs [trials, d] and the gradient of u · output by q."""
    weights = softmax(scale * (k @ q[..., None])[..., 0])
    output = (weights[:, None] @ v)[:, 0]
    by_weights = (v @ u[..., None])[..., 0]
    by_scores = weights * (by_weights - (weights * by_weights).sum(-1, keepdims=True))
    return weights, output, scale * (by_scores[:, None] @ k)[:, 0]


for width in sorted(set(d)):
    factor = np.float64(np.float32(1 / np.sqrt(width)))
    found = {place: [] for place in ("nowhere", "scores", "queries", "values", "output")}
    for rows in drawn(seed, width, 2 * n_keys + 2, trials):
        rows = rows.astype(np.float64)
        q, k, v, u = rows[:, 0], rows[:, 1 : n_keys + 1], rows[:, n_keys + 1 : -1], rows[:, -1]
        weights, output, dq = attention(q, k, v, u * factor, 1)
        found["output"].append((weights, output * factor, dq))
        weights, output, dq = attention(q * factor, k, v, u, 1)
        found["queries"].append((weights, output, dq * factor))
        found["nowhere"].append(attention(q, k, v, u, 1))
        found["scores"].append(attention(q, k, v, u, factor))
        found["values"].append(attention(q, k, v * factor, u, 1))
    for place, parts in found.items():
        weights, output, dq = (np.concatenate(part) for part in zip(*parts))
        at = {"d": width, "divided": place}
        show("softmax_max", weights.max(-1), **at)
        show("frac_max_gt_0.99", weights.max(-1).astype(np.float32) > np.float32(0.99), **at)
        show("query_gradient", np.sqrt((dq**2).sum(-1)), **at)
        show("output_rms", np.sqrt((output**2).mean(-1)), **at)
        if n_keys <= 64:
            show_row("weights", weights[0], d=width, series=place)
