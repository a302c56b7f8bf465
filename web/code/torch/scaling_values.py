"""Does it help to divide the values instead of the scores?

One query, its keys and values, and the loss u · output, with 1/√d put in five places. Prints the largest weight,
the share of rows with one above 0.99, ‖∂L/∂q‖ by autograd and the size of the output: the mean over trials ± its
standard error. What the library counts besides, weights with other bits, is not here.
Left out: weights_changed, weights_from_scores
"""

# The settings.
d = [32, 128, 512]
n_keys = 8
trials = 400
seed = 0

import torch
from lab.show import show, show_row
from lab.trials import drawn

for width in sorted(set(d)):
    rows = torch.cat([torch.from_numpy(part) for part in drawn(seed, width, 2 * n_keys + 2, trials)]).double()
    q, k, v, u = rows[:, :1], rows[:, 1 : n_keys + 1], rows[:, n_keys + 1 : -1], rows[:, -1:]
    q = q.clone().requires_grad_()
    for place in ("nowhere", "scores", "queries", "values", "output"):
        factor = {each: 1.0 for each in ("scores", "queries", "values", "output")}
        factor[place] = torch.tensor(width**-0.5).double()  # rounded to single precision
        weights = (factor["scores"] * ((factor["queries"] * q) @ k.transpose(1, 2))).softmax(-1)
        output = factor["output"] * (weights @ (factor["values"] * v))
        (dq,) = torch.autograd.grad((u * output).sum(), q)
        largest = weights.detach().amax((1, 2))
        at = {"d": width, "divided": place}
        show("softmax_max", largest, **at)
        show("frac_max_gt_0.99", largest > 0.99, **at)
        show("query_gradient", dq.flatten(1).norm(dim=-1), **at)
        show("output_rms", (output.detach() ** 2).mean((1, 2)).sqrt(), **at)
        if n_keys <= 64:
            show_row("weights", weights.detach()[0, 0], d=width, series=place)
