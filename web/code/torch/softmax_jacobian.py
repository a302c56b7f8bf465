"""How much of a change of the scores reaches the weights?

The derivative of softmax, by autograd. Prints its Frobenius norm and its trace, with respect to the scaled scores,
and the norm with respect to q·k: the mean over trials ± its standard error. Before that the same of one row of
scores, in double and in single precision.
Left out: example_slope
"""

# The settings.
scores = [[50, 1, 1, 1]]
d_k = 64
d = [8, 32, 64, 128, 512]
n_keys = [8, 64]
scale = ["none", "1/sqrt(d)"]
trials = 1000
seed = 0

import torch
from lab.show import show
from lab.trials import drawn, factor


def jacobian(rows):
    """∂p_j/∂s_k of each row of scores: [rows, n, n]. Rows do not depend on each other."""
    rows = rows.requires_grad_()
    by_weight = [torch.autograd.grad(p.sum(), rows, retain_graph=True)[0] for p in rows.softmax(-1).unbind(-1)]
    return torch.stack(by_weight, 1)


for each in scale:
    at = {"d_k": d_k, "scale": each}
    row = factor(each, d_k) * torch.tensor(scores).float().double()
    show("example_frobenius", jacobian(row).norm(), **at)
    in_single = jacobian(row.float().detach())[0]
    largest = scores[0].index(max(scores[0])) if factor(each, d_k) > 0 else scores[0].index(min(scores[0]))
    show("example_frobenius_fp32", in_single.double().norm(), **at)
    show("example_slope_fp32", in_single[largest, largest], **at)

most = max(n_keys)
for width in sorted(set(d)):
    rows = torch.cat([torch.from_numpy(part) for part in drawn(seed, width, most + 1, trials)]).double()
    products = (rows[:, 1:] @ rows[:, 0, :, None])[..., 0]
    for n in sorted(set(n_keys)):
        for each in scale:
            at = {"d": width, "n_keys": n, "scale": each}
            matrices = jacobian(factor(each, width) * products[:, :n])
            norm = matrices.flatten(1).norm(dim=-1)
            show("jacobian_frobenius", norm, **at)
            show("jacobian_trace", matrices.diagonal(dim1=1, dim2=2).sum(-1), **at)
            show("jacobian_frobenius_raw", abs(factor(each, width)) * norm, **at)
