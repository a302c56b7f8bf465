"""Which mistakes with the scale are made in code, and how does one notice?

The right code and the chosen one on the same q, k, v and the loss u · output. Prints the spread of the scores, the
largest weight, the entropy, the sum of a row, the size of the output and ‖∂L/∂q‖ by autograd: the mean over trials
± its standard error. The training is not here, steps has no effect; neither are weights with other bits.
Left out: weights_unlike_right, weights_unlike_absent, token_accuracy, loss, saturated_rows
"""

# The settings.
bug = "absent"
d_model = 64
n_heads = 2
n_keys = 8
trials = 1000
steps = 60
seed = 0

import math

import torch
from lab.moments import moments_of
from lab.random import normal
from lab.show import show, show_row

d_k = d_model // n_heads
# The code, and the divisors of q, the scores, the weights and v.
own, whole = math.sqrt(d_k), math.sqrt(d_model)
museum = {
    "right": ("weights = (q @ k.mT / math.sqrt(d_k)).softmax(-1); out = weights @ v", 1, own, 1, 1),
    "absent": ("weights = (q @ k.mT).softmax(-1); out = weights @ v", 1, 1, 1, 1),
    "d_model": ("weights = (q @ k.mT / math.sqrt(d_model)).softmax(-1); out = weights @ v", 1, whole, 1, 1),
    "after_softmax": ("weights = (q @ k.mT).softmax(-1) / math.sqrt(d_k); out = weights @ v", 1, 1, own, 1),
    "on_v": ("weights = (q @ k.mT).softmax(-1); out = weights @ (v / math.sqrt(d_k))", 1, 1, 1, own),
    "twice": ("q = q / math.sqrt(d_k); out = F.scaled_dot_product_attention(q, k, v)", own, own, 1, 1),
    "q_first": ("q = q / math.sqrt(d_k); weights = (q @ k.mT).softmax(-1); out = weights @ v", own, 1, 1, 1),
}

n_numbers = 2 * (n_keys + 1) * d_model
numbers = torch.stack([torch.from_numpy(normal(seed, trial, n_numbers)) for trial in range(trials)]).double()
parts = numbers.split([n * d_model for n in (1, n_keys, n_keys, 1)], dim=1)
q, k, v, u = (part.reshape(trials, n_heads, -1, d_k) for part in parts)
q.requires_grad_()

codes = dict.fromkeys(["right", bug])
for code in codes:
    print(f"# {code}\n{museum[code][0]}")
for code in codes:
    _, of_q, of_scores, of_weights, of_v = museum[code]
    scores = (q / of_q) @ k.transpose(2, 3) / of_scores
    p = scores.softmax(-1)
    out = (p / of_weights) @ (v / of_v)
    (dq,) = torch.autograd.grad((u * out).sum(), q)
    scores, p, out = (x.detach() for x in (scores, p, out))
    unit = math.sqrt(d_k) / of_q / of_scores
    variance, se = moments_of(scores.flatten(1).numpy(), 0, unit)["variance"]
    show("score_sd", math.sqrt(variance), se / (2 * math.sqrt(variance)), code=code)
    rows = p.reshape(-1, n_keys)
    show("softmax_max", rows.amax(-1), code=code)
    show("frac_max_gt_0.99", rows.amax(-1) > 0.99, code=code)
    show("entropy_nats", torch.special.entr(rows).sum(-1), code=code)
    show("row_sum", rows.sum(-1) / of_weights, code=code)
    show("output_rms", (out**2).mean((1, 2, 3)).sqrt(), code=code)
    show("query_gradient", dq.flatten(1).norm(dim=-1) / math.sqrt(n_heads), code=code)
    if n_keys <= 64:
        show_row("weights", p[0, 0, 0] / of_weights, series=code)
