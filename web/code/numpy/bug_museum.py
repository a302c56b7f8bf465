"""Which mistakes with the scale are made in code, and how does one notice?

The right code and the chosen one on the same q, k, v and the loss u · output. Prints the spread of the scores, the
largest weight, the entropy, the sum of a row, the size of the output and ‖∂L/∂q‖: the mean over trials ± its
standard error. The training is not here, steps has no effect; neither are weights with other bits.
Left out: weights_unlike_right, weights_unlike_absent, token_accuracy, loss, saturated_rows
"""

# The settings.
bug = "absent"
d_model = 64
n_heads = 2
n_keys = 8
trials = 1000
steps = 60
seed = 0

import numpy as np
from lab.moments import moments_of
from lab.random import normal
from lab.show import show, show_row
from lab.trials import entropy, softmax

d_k = d_model // n_heads
own, whole = (np.float64(np.float32(1 / np.sqrt(d))) for d in (d_k, d_model))
# The code, and the factors of q, the scores, the weights and v.
museum = {
    "right": ("weights = (q @ k.mT / math.sqrt(d_k)).softmax(-1); out = weights @ v", 1, own, 1, 1),
    "absent": ("weights = (q @ k.mT).softmax(-1); out = weights @ v", 1, 1, 1, 1),
    "d_model": ("weights = (q @ k.mT / math.sqrt(d_model)).softmax(-1); out = weights @ v", 1, whole, 1, 1),
    "after_softmax": ("weights = (q @ k.mT).softmax(-1) / math.sqrt(d_k); out = weights @ v", 1, 1, own, 1),
    "on_v": ("weights = (q @ k.mT).softmax(-1); out = weights @ (v / math.sqrt(d_k))", 1, 1, 1, own),
    "twice": ("q = q / math.sqrt(d_k); out = F.scaled_dot_product_attention(q, k, v)", own, own, 1, 1),
    "q_first": ("q = q / math.sqrt(d_k); weights = (q @ k.mT).softmax(-1); out = weights @ v", own, 1, 1, 1),
}


def drawn():
    """q, k, v, u of some trials at a time: [trials, n_heads, 1 or n_keys, d_k]."""
    sizes = np.array([1, n_keys, n_keys, 1]) * d_model
    some = max(1, 2**16 // sizes.sum())
    for first in range(0, trials, some):
        numbers = normal(seed, np.arange(first, min(first + some, trials), dtype=np.uint64), sizes.sum())
        parts = np.split(numbers.astype(np.float64), sizes.cumsum()[:-1], axis=1)
        yield [part.reshape(len(part), n_heads, -1, d_k) for part in parts]


def run(q, k, v, u, of_q, of_scores, of_weights, of_v):
    """Scores, softmax, output and the gradient of u · output by q."""
    scores = of_scores * (of_q * q) @ k.transpose(0, 1, 3, 2)
    p = softmax(scores)
    out = of_weights * (p @ (of_v * v))
    dp = of_weights * u @ (of_v * v).transpose(0, 1, 3, 2)
    ds = p * (dp - (p * dp).sum(-1, keepdims=True))
    return scores[:, :, 0], p[:, :, 0], out, of_q * of_scores * (ds @ k)


found = {"right": [], bug: []}
for draws in drawn():
    for code, parts in found.items():
        parts.append(run(*draws, *museum[code][1:]))
for code in found:
    print(f"# {code}\n{museum[code][0]}")
for code, parts in found.items():
    scores, p, out, dq = (np.concatenate(part) for part in zip(*parts))
    _, of_q, of_scores, of_weights, _ = museum[code]
    variance, se = moments_of(scores.reshape(trials, -1), 0, of_q * of_scores * np.sqrt(d_k))["variance"]
    show("score_sd", np.sqrt(variance), se / (2 * np.sqrt(variance)), code=code)
    rows = p.reshape(-1, n_keys)
    show("softmax_max", rows.max(-1), code=code)
    show("frac_max_gt_0.99", rows.max(-1) > 0.99, code=code)
    show("entropy_nats", entropy(scores).flatten(), code=code)
    show("row_sum", of_weights * rows.sum(-1), code=code)
    show("output_rms", np.sqrt((out**2).mean((1, 2, 3))), code=code)
    show("query_gradient", np.sqrt((dq**2).sum((1, 2, 3)) / n_heads), code=code)
    if n_keys <= 64:
        show_row("weights", of_weights * p[0, 0], series=code)
