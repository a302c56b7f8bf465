"""Does the number of keys matter as the dimension does?

Prints for n keys the critical beta and d, what normal scores make of the softmax, and then, at multiples of the
critical beta and for dot products over d and scale: the entropy as a share of ln n, the largest weight, the
effective number of keys and the share of rows with a weight above 0.99; means over rows ± standard errors.
"""

# The settings.
d = [1, 4, 16, 64, 256, 1024]
n_keys = [8, 64, 512, 4096]
scale = ["none", "1/sqrt(d)"]
measure = "entropy_share"
trials = 600
seed = 0

import numpy as np
import torch
from lab.random import normal
from lab.show import show, show_row
from lab.trials import factor, streams


def rows_at(n):
    """As many numbers at every n above 512."""
    return trials if n <= 512 else max(min(trials, 32), trials * 512 // n)


def entropy(scores):
    return torch.distributions.Categorical(logits=scores).entropy()


def shape(scores, **at):
    """The measures of the softmax of each row."""
    largest = scores.softmax(-1).amax(-1)
    nats = entropy(scores)
    measures = {
        "entropy_share": nats / np.log(scores.shape[-1]),
        "softmax_max": largest,
        "effective_keys_exp_entropy": nats.exp(),
        "frac_max_gt_0.99": largest > 0.99,
    }
    for name, values in measures.items():
        show(name, values, **at)
    return {name: values.double().mean() for name, values in measures.items()}


# Given q, its scores with normal keys are ‖q‖ times normals.
lengths = {}
for width in d:
    some = [normal(seed, stream + np.uint64(2**31), width) for stream in streams(width, width, trials)]
    lengths[width] = torch.from_numpy(np.concatenate(some)).double().norm(dim=-1)

ratios = [0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4, 6.63]
shown = {}
for n in sorted(set(n_keys)):
    some = [normal(seed, stream, n) for stream in streams(n, n, rows_at(n))]
    normals = torch.from_numpy(np.concatenate(some))
    critical = np.sqrt(2 * np.log(n))
    show("critical_beta", critical, n_keys=n)
    show("critical_d", critical**2, n_keys=n)
    level = normals.double()
    deficit = float(np.log(n)) - entropy(level)
    show("entropy_deficit", deficit, n_keys=n)
    show("keys_kept", (-deficit).exp(), n_keys=n)
    show("lead_for_half", level[:, :-1].logsumexp(-1), n_keys=n)
    over = [
        shape((torch.tensor(ratio * critical).float() * normals).double(), n_keys=n, beta_ratio=ratio)
        for ratio in ratios
    ]
    show_row("entropy_over_beta", [each["entropy_share"] for each in over], series=f"n={n}")
    show_row("saturated_over_beta", [each["frac_max_gt_0.99"] for each in over], series=f"n={n}")
    for each in scale:
        for width in sorted(set(d)):
            beta = lengths[width][: len(normals)] * factor(each, width)
            scores = beta.float()[:, None] * normals
            means = shape(scores.double(), n_keys=n, d=width, scale=each)
            shown.setdefault((each, width), []).append(means[measure])
for (each, width), means in shown.items():
    show_row("over_keys", means, scale=each, series=f"d={width}")
