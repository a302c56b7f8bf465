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

import torch
from lab.distribution import standard
from lab.show import show
from lab.trials import drawn, factor

draw = standard(distribution, nu)
for width in sorted(set(d)):
    rows = torch.cat([torch.from_numpy(part) for part in drawn(seed, width, n_keys + 1, trials, draw)]).double()
    q, k = rows[:, :1], rows[:, 1:]
    scores = (q @ k.transpose(1, 2))[:, 0]
    for each in scale:
        scaled = factor(each, width) * scores
        weights = scaled.softmax(-1)
        nats = torch.distributions.Categorical(logits=scaled).entropy()
        largest = weights.amax(-1)
        at = {"d": width, "scale": each}
        show("softmax_max", largest, **at)
        show("softmax_min", weights.amin(-1), **at)
        show("entropy_nats", nats, **at)
        show("effective_keys_exp_entropy", nats.exp(), **at)
        for limit in (0.9, 0.99, 0.999):
            show(f"frac_max_gt_{limit}", largest > limit, **at)

# The scores 50, 1, 1, 1 of d = 64.
for each in ("none", "1/sqrt(d)"):
    weights = (factor(each, 64) * torch.tensor([50.0, 1, 1, 1]).double()).softmax(-1)
    show("example_max", weights.max(), example="50,1,1,1", d=64, scale=each)
    show("example_min", weights.min(), example="50,1,1,1", d=64, scale=each)
