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

import numpy as np
from lab.show import show
from lab.trials import drawn, entropy, scores_of, softmax

for width in sorted(set(d)):
    products, cosines = [], []
    for rows in drawn(seed, width, n_keys + 1, trials):
        lengths = np.sqrt((rows.astype(np.float64) ** 2).sum(-1))
        products.append(scores_of(rows))
        cosines.append(products[-1] / (lengths[:, 1:] * lengths[:, :1]))
    products, cosines = np.concatenate(products), np.concatenate(cosines)
    forms = {f"τ={each}": each * cosines for each in tau}
    forms["τ=√d"] = np.sqrt(width) * cosines
    forms["1/sqrt(d)"] = products / np.sqrt(width)
    forms["none"] = products
    for form, scores in forms.items():
        show("softmax_max", softmax(scores).max(-1), d=width, form=form)
        show("effective_keys_exp_entropy", np.exp(entropy(scores)), d=width, form=form)
        show("largest_score", abs(scores).max(), d=width, form=form)
    squares = (cosines**2).mean(-1)
    sd, se = np.sqrt(squares.mean()), squares.std(ddof=1) / np.sqrt(trials)
    show("cosine_sd", sd, se / (2 * sd), d=width)

# One cosine is 1 and all the others are -1: no weight can be larger.
for each in tau:
    show("weight_bound", 1 / (1 + (n_keys - 1) * np.exp(-2 * each)), tau=each)
