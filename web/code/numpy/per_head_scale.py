"""A head's dimension is smaller than the model's. Which of the two divides?

q and k of d_model components are split in h heads. Prints the standard deviation of scores, the largest weight
and the effective number of keys with 1/√d_k, d_k = d_model / h, and with 1/√d_model: the mean over trials ± its
standard error.
"""

# The settings.
d_model = 512
n_heads = [1, 2, 4, 8, 16, 32]
n_keys = 8
trials = 1000
seed = 0

import numpy as np
from lab.moments import moments_of
from lab.random import normal
from lab.show import show
from lab.trials import entropy, softmax

splits = {h: [] for h in sorted(set(n_heads))}
some = max(1, 2**16 // ((n_keys + 1) * d_model))
for first in range(0, trials, some):
    trial = np.arange(first, min(first + some, trials), dtype=np.uint64)
    rows = normal(seed, trial, (n_keys + 1) * d_model).reshape(len(trial), n_keys + 1, d_model)
    for h, scores in splits.items():
        heads = rows.reshape(len(trial), n_keys + 1, h, d_model // h).astype(np.float64)
        scores.append(np.einsum("thc,tnhc->thn", heads[:, 0], heads[:, 1:]))
for h, parts in splits.items():
    scores, d_k = np.concatenate(parts), d_model // h
    variance, se = moments_of(scores.reshape(trials, -1), 0, np.sqrt(d_k))["variance"]
    for name, divisor in (("1/sqrt(d_k)", np.sqrt(d_k)), ("1/sqrt(d_model)", np.sqrt(d_model))):
        at = {"n_heads": h, "scale": name}
        sd = np.sqrt(variance)
        show("score_sd", sd / divisor, se / (2 * sd) / divisor, **at)
        show("softmax_max", softmax(scores / divisor).max(-1).mean(-1), **at)
        show("effective_keys_exp_entropy", np.exp(entropy(scores / divisor)).mean(-1), **at)
