"""How much gradient passes through the softmax, at the start?

Prints the norms of a loss's gradient, by autograd, with respect to q and to the scores, the share of small ones and what the
largest tenth holds: the mean over trials ± its standard error. The training, which the figure shows below, is
not here: d_k and steps have no effect.
Left out: row_grad_norm_wrt_q, row_grad_norm_wrt_scores, saturated_rows, token_accuracy
"""

# The settings.
loss = "u_p"
d = [8, 32, 128, 512]
n_keys = 8
scale = ["none", "1/sqrt(d)"]
d_k = 128
steps = 40
trials = 1000
seed = 0

import numpy as np
from lab.torch_row_gradient import torch_gradients
from lab.show import show
from lab.trials import factor

for width in sorted(set(d)):
    factors = [factor(each, width) for each in scale]
    for each, found, times in zip(scale, torch_gradients(seed, width, n_keys, trials, loss, factors), factors):
        at = {"d": width, "scale": each}
        _, by_scores, by_q = found
        show("grad_norm_wrt_q", by_q, **at)
        show("grad_norm_wrt_scaled_logits", by_scores, **at)
        show("grad_norm_wrt_raw_logits", abs(times) * by_scores, **at)
        show("share_of_small_gradients", by_q < 1e-3, **at)
        largest_first = np.sort(by_q)[::-1]
        show("share_of_largest_tenth", largest_first[: (trials + 9) // 10].sum() / by_q.sum(), **at)
