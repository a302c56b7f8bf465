"""Does the division make up for two sides that are distributed differently?

Text tokens ask image patches. Prints the variance of a row of logits, the entropy of its weights and the largest
of them, with the scale and without: the mean over trials ± its standard error; with a correlation also what a
token gives to its own patch. Then the entropy over spreads of the image, and the first trial's logits and weights.
"""

# The settings.
d = 768
n_text = 10
n_image = 49
batch = 2
mean_text = 0
std_text = 1
mean_image = 0
std_image = 1
correlation = 0
trials = 40
seed = 0

import math

import numpy as np
import torch
from lab.random import normal
from lab.show import show, show_row

single = np.float32
scales = {"1/sqrt(d)": 1 / math.sqrt(d), "none": 1.0}
sweep = np.array([0.25, 0.5, 1, 2, 4]) * std_image
asked = 2
nats = {name: [[] for _ in sweep] for name in scales}
variance, largest, partner = ({name: [] for name in scales} for _ in range(3))
found = []


def entropy(scores):
    return torch.distributions.Categorical(logits=scores).entropy()


for trial in range(trials):
    text = normal(seed, 2 * trial, batch * n_text * d).reshape(batch, n_text, d)
    image = normal(seed, 2 * trial + 1, batch * n_image * d).reshape(batch, n_image, d)
    if correlation:  # token i is about patch i
        own = np.sqrt(1 - correlation**2)
        text = single(own) * text + single(correlation) * image[:, :n_text]
    text = torch.from_numpy(single(mean_text) + single(std_text) * text).double()
    for i, std in enumerate(sweep):
        moved = torch.from_numpy(single(mean_image) + single(std) * image).double()
        logits = text @ moved.transpose(1, 2)
        for name, scale in scales.items():
            nats[name][i].append(entropy(scale * logits).mean())
        if i != asked:
            continue
        if trial == 0:
            print(f"torch.Size([{batch}, {n_text}, {n_image}])")
            first = logits[0]
        for name, scale in scales.items():
            weights = (scale * logits).softmax(-1)
            variance[name].append((scale * logits).var(-1).mean())
            largest[name].append(weights.amax(-1).mean())
            if correlation:
                partner[name].append(weights[:, range(n_text), range(n_text)].mean())
        found.append((logits.argmax(-1) == torch.arange(n_text)).double().mean())

for name in scales:
    show("logit_variance_per_row", variance[name], scale=name)
    show("entropy_nats", nats[name][asked], scale=name)
    show("softmax_max", largest[name], scale=name)
    if correlation:
        show("partner_weight", partner[name], scale=name)
if correlation:
    show("partner_found", found)
for name in scales:
    show_row("entropy_over_std", np.mean(nats[name], -1), series=name)
for i, row in enumerate(first):
    show_row("logits", row, scale="none", row=i)
for name, scale in scales.items():
    for i, row in enumerate((scale * first).softmax(-1)):
        show_row("weights", row, scale=name, row=i)
