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

import math

import numpy as np
import torch
from lab.random import normal
from lab.show import show, show_row

torch.manual_seed(seed)


def draw(width, call):
    """q [1, width] and k [n_keys, width]; our own generator has a stream for each row of a call."""
    if rng == "torch":
        return torch.randn(1, width), torch.randn(n_keys, width)
    rows = torch.from_numpy(normal(seed, np.arange(n_keys + 1, dtype=np.uint64) + np.uint64(call << 32), width))
    return rows[:1], rows[1:]


call = 0
given = q is not None
for width in [np.size(q)] if given else d:
    if given:
        pairs = [(torch.tensor(q).float().reshape(1, -1), torch.tensor(k).float())] * 2
    elif draws == "paired":
        pairs = [draw(width, call)] * 2
    else:
        pairs = [draw(width, call), draw(width, call + 1)]
        call += 2
    scores = [(q_row.double() @ k_rows.double().T)[0] for q_row, k_rows in pairs]
    scores[0] = scores[0] / math.sqrt(width)
    weights = [torch.softmax(each, dim=-1) for each in scores]
    printed = [f"max={each.max():.3f} min={each.min():.3f}" for each in weights]
    print(f"d={width} scaled {printed[0]} | unscaled {printed[1]}")
    for scale, series, s, p in zip(("1/sqrt(d)", "none"), ("scaled", "unscaled"), scores, weights):
        show("softmax_max", p.max(), d=width, scale=scale)
        show("softmax_min", p.min(), d=width, scale=scale)
        show("entropy_nats", torch.distributions.Categorical(logits=s).entropy(), d=width, scale=scale)
        if len(s) > 1:
            show("logit_variance_per_trial", s.var(), d=width, scale=scale)
        show_row("weights", p, d=width, series=series)
