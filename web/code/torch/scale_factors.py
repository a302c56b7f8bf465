"""Why the square root of d, and not d, or twice the square root?

Prints the largest weight, the effective number of keys, the entropy as a share of ln n and ‖∂L/∂q‖ for each
scale, the mean over trials ± its standard error; then the effective keys and ‖∂L/∂q‖ over powers d^-a and over
temperatures T √d. The training is not here: task, d_k, steps and learning_rate have no effect.
Left out: token_accuracy, learned_scale
"""

# The settings.
d = [8, 32, 128, 512]
n_keys = 8
scale = ["1/sqrt(d)", "1/(2*sqrt(d))", "1/d"]
task = "sort"
d_k = 32
steps = 80
learning_rate = 0.012
trials = 300
seed = 0

import numpy as np
from lab.torch_row_gradient import torch_gradients
from lab.show import show, show_row
from lab.trials import factor

powers = np.arange(9) / 8
temperatures = 2.0 ** np.arange(-3, 4)
uneven = []
for width in sorted(set(d)):
    by_power = [width**-power for power in powers]
    by_temperature = [1 / (t * np.sqrt(width)) for t in temperatures]
    factors = [factor(each, width) for each in scale] + by_power + by_temperature
    keys, slopes, entropies = [], [], []
    for each, (p, _, by_q) in enumerate(torch_gradients(seed, width, n_keys, trials, "u_p", factors)):
        nats = -(p * np.log(np.where(p > 0, p, 1))).sum(-1)
        keys.append(np.exp(nats).mean())
        slopes.append(by_q.mean())
        entropies.append(nats.mean())
        if each < len(scale):
            at = {"d": width, "scale": scale[each]}
            show("softmax_max", p.max(-1), **at)
            show("effective_keys_exp_entropy", np.exp(nats), **at)
            if n_keys > 1:
                show("entropy_share", nats / np.log(n_keys), **at)
            show("grad_norm_wrt_q", by_q, **at)
    first, last = len(scale), len(scale) + len(powers)
    show_row("keys_over_power", keys[first:last], series=f"d={width}")
    show_row("gradient_over_power", slopes[first:last], series=f"d={width}")
    show_row("keys_over_temperature", keys[last:], series=f"d={width}")
    uneven.append(np.log(n_keys) - np.array(entropies[first:last]))
if n_keys > 1:
    show_row("spread_over_power", np.max(uneven, 0) / np.min(uneven, 0), series="ratio")
