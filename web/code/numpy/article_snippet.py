"""Does the largest weight really run away when nobody divides?

Prints the largest and the smallest weight with the scale and without it, then the entropy of the weights, the
variance of the scores and all weights.
"""

# The settings.
d = [32, 128, 512]
n_keys = 8
draws = "independent"
seed = 0
rng = "philox"
q = None
k = None

import numpy as np
from lab.random import normal
from lab.show import show, show_row
from lab.torch_random import TorchRandom
from lab.trials import entropy, softmax

torch_random = TorchRandom(seed)


def draw(width, call):
    """q [width] and k [n_keys, width]; our own generator has a stream for each row of a call."""
    if rng == "torch":
        return torch_random.randn(width), torch_random.randn(n_keys * width).reshape(n_keys, width)
    rows = normal(seed, np.arange(n_keys + 1, dtype=np.uint64) + np.uint64(call << 32), width)
    return rows[0], rows[1:]


call = 0
given = q is not None
for width in [np.size(q)] if given else d:
    if given:
        pair = np.reshape(q, -1), np.array(k)
        pairs = [pair, pair]
    elif draws == "paired":
        pairs = [draw(width, call)] * 2
    else:
        pairs = [draw(width, call), draw(width, call + 1)]
        call += 2
    scores = [k_rows.astype(np.float64) @ q_row.astype(np.float64) for q_row, k_rows in pairs]
    scores[0] /= np.sqrt(width)
    weights = [softmax(each) for each in scores]
    printed = [f"max={each.max():.3f} min={each.min():.3f}" for each in weights]
    print(f"d={width} scaled {printed[0]} | unscaled {printed[1]}")
    for scale, series, s, p in zip(("1/sqrt(d)", "none"), ("scaled", "unscaled"), scores, weights):
        show("softmax_max", p.max(), d=width, scale=scale)
        show("softmax_min", p.min(), d=width, scale=scale)
        show("entropy_nats", entropy(s), d=width, scale=scale)
        if len(s) > 1:
            show("logit_variance_per_trial", s.var(ddof=1), d=width, scale=scale)
        show_row("weights", p, d=width, series=series)
