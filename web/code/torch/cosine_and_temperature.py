"""Can normalized queries and keys do without the square root of d?

Prints the largest weight and the effective number of keys, the mean over trials ± its standard error, and the
largest score, for cosines times a temperature τ and for the dot product; then the spread of the cosines.
Left out: weights_beyond_bound
"""

# The settings.
d = [16, 64, 256]
n_keys = 64
tau = [1, 10]
trials = 500
seed = 0

import math

import torch
import torch.nn.functional as F
from lab.show import show
from lab.trials import drawn

for width in sorted(set(d)):
    products, cosines = [], []
    for part in drawn(seed, width, n_keys + 1, trials):
        rows = torch.from_numpy(part).double()
        q, k = rows[:, :1], rows[:, 1:]
        products.append((q * k).sum(-1))
        cosines.append(F.cosine_similarity(q, k, dim=-1))
    products, cosines = torch.cat(products), torch.cat(cosines)
    forms = {f"τ={each}": each * cosines for each in tau}
    forms["τ=√d"] = math.sqrt(width) * cosines
    forms["1/sqrt(d)"] = products / math.sqrt(width)
    forms["none"] = products
    for form, scores in forms.items():
        nats = torch.distributions.Categorical(logits=scores).entropy()
        show("softmax_max", scores.softmax(-1).amax(-1), d=width, form=form)
        show("effective_keys_exp_entropy", nats.exp(), d=width, form=form)
        show("largest_score", scores.abs().max(), d=width, form=form)
    squares = (cosines**2).mean(-1)
    sd, se = squares.mean().sqrt(), squares.std() / math.sqrt(trials)
    show("cosine_sd", sd, float(se / (2 * sd)), d=width)

# One cosine is 1 and all the others are -1: no weight can be larger.
for each in tau:
    show("weight_bound", 1 / (1 + (n_keys - 1) * math.exp(-2 * each)), tau=each)
