"""How soon does a single key take all the weight?

Prints the largest and smallest weight, the entropy, the effective number of keys and the share of rows with
one weight above 0.9, 0.99 and 0.999: the mean over trials ± its standard error.
"""

# The settings.
d = [8, 32, 128, 512]
n_keys = 8
scale = ["none", "1/sqrt(d)"]
distribution = "normal"
nu = 3
trials = 2000
seed = 0

import numpy as np
from lab.distribution import standard
from lab.show import show
from lab.trials import drawn, entropy, factor, scores_of, softmax

draw = standard(distribution, nu)
for width in sorted(set(d)):
    scores = np.concatenate([scores_of(rows) for rows in drawn(seed, width, n_keys + 1, trials, draw)])
    for each in scale:
        scaled = factor(each, width) * scores
        weights, nats = softmax(scaled), entropy(scaled)
        at = {"d": width, "scale": each}
        show("softmax_max", weights.max(-1), **at)
        show("softmax_min", weights.min(-1), **at)
        show("entropy_nats", nats, **at)
        show("effective_keys_exp_entropy", np.exp(nats), **at)
        for limit in (0.9, 0.99, 0.999):
            show(f"frac_max_gt_{limit}", weights.max(-1) > limit, **at)

# The scores 50, 1, 1, 1 of d = 64.
for each in ("none", "1/sqrt(d)"):
    weights = softmax(factor(each, 64) * np.array([50.0, 1, 1, 1]))
    show("example_max", weights.max(), example="50,1,1,1", d=64, scale=each)
    show("example_min", weights.min(), example="50,1,1,1", d=64, scale=each)
