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

import math

import torch
from lab.moments import moments_of
from lab.random import normal
from lab.show import show

parts = [torch.from_numpy(normal(seed, trial, (n_keys + 1) * d_model)) for trial in range(trials)]
rows = torch.stack(parts).reshape(trials, n_keys + 1, d_model).double()
for h in sorted(set(n_heads)):
    d_k = d_model // h
    heads = rows.reshape(trials, n_keys + 1, h, d_k).transpose(1, 2)
    scores = (heads[:, :, :1] @ heads[:, :, 1:].transpose(2, 3))[:, :, 0]
    variance, se = moments_of(scores.flatten(1).numpy(), 0, math.sqrt(d_k))["variance"]
    for name, divisor in (("1/sqrt(d_k)", math.sqrt(d_k)), ("1/sqrt(d_model)", math.sqrt(d_model))):
        at = {"n_heads": h, "scale": name}
        sd = math.sqrt(variance)
        nats = torch.distributions.Categorical(logits=scores / divisor).entropy()
        show("score_sd", sd / divisor, se / (2 * sd) / divisor, **at)
        show("softmax_max", (scores / divisor).softmax(-1).amax(-1).mean(-1), **at)
        show("effective_keys_exp_entropy", nats.exp().mean(-1), **at)
