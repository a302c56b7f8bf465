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
from lab.random import normal
from lab.show import show, show_row
from lab.trials import entropy, factor, softmax, streams


def rows_at(n):
    """As many numbers at every n above 512."""
    return trials if n <= 512 else max(min(trials, 32), trials * 512 // n)


def shape(scores, **at):
    """The measures of the softmax of each row."""
    largest, nats = softmax(scores).max(-1), entropy(scores)
    measures = {
        "entropy_share": nats / np.log(scores.shape[-1]),
        "softmax_max": largest,
        "effective_keys_exp_entropy": np.exp(nats),
        "frac_max_gt_0.99": largest > 0.99,
    }
    for name, values in measures.items():
        show(name, values, **at)
    return {name: values.mean() for name, values in measures.items()}


# Given q, its scores with normal keys are ‖q‖ times normals.
lengths = {}
for width in d:
    some = [normal(seed, stream + np.uint64(2**31), width) for stream in streams(width, width, trials)]
    lengths[width] = np.sqrt((np.concatenate(some).astype(np.float64) ** 2).sum(-1))

ratios = [0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4, 6.63]
shown = {}
for n in sorted(set(n_keys)):
    normals = np.concatenate([normal(seed, stream, n) for stream in streams(n, n, rows_at(n))])
    critical = np.sqrt(2 * np.log(n))
    show("critical_beta", critical, n_keys=n)
    show("critical_d", critical**2, n_keys=n)
    level = normals.astype(np.float64)
    deficit = np.log(n) - entropy(level)
    show("entropy_deficit", deficit, n_keys=n)
    show("keys_kept", np.exp(-deficit), n_keys=n)
    show("lead_for_half", np.log(np.exp(level[:, :-1]).sum(-1)), n_keys=n)
    over = [
        shape((np.float32(ratio * critical) * normals).astype(np.float64), n_keys=n, beta_ratio=ratio)
        for ratio in ratios
    ]
    show_row("entropy_over_beta", [each["entropy_share"] for each in over], series=f"n={n}")
    show_row("saturated_over_beta", [each["frac_max_gt_0.99"] for each in over], series=f"n={n}")
    for each in scale:
        for width in sorted(set(d)):
            beta = lengths[width][: len(normals)] * factor(each, width)
            scores = beta.astype(np.float32)[:, None] * normals
            means = shape(scores.astype(np.float64), n_keys=n, d=width, scale=each)
            shown.setdefault((each, width), []).append(means[measure])
for (each, width), means in shown.items():
    show_row("over_keys", means, scale=each, series=f"d={width}")
