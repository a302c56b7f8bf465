# The gradient of a loss on the weights of one query and its keys, by autograd.
import torch
import torch.nn.functional as F
from lab.row import WIDTH, Rows
from lab.trials import streams


def loss_of(p, s, rows):
    """The sum over trials, which are independent of each other."""
    u, target = torch.from_numpy(rows.u), torch.from_numpy(rows.target)
    if rows.loss == "u_p":
        return (u * p).sum()
    if rows.loss == "log_p":
        return F.cross_entropy(s, target, reduction="sum")
    output = (p[:, None] @ torch.from_numpy(rows.values))[:, 0]
    if rows.loss == "u_pv":
        return (u / WIDTH**0.5 * output).sum()
    return F.cross_entropy(output, target, reduction="sum")


def torch_gradients(seed, d, n_keys, trials, loss, scales):
    """Of each scale the weights p, ‖∂L/∂s‖ of the scaled scores s, and ‖∂L/∂q‖ over all trials."""
    found = [[] for _ in scales]
    for stream in streams(d, (n_keys + 1) * max(d, WIDTH), trials):
        rows = Rows(seed, stream, d, n_keys, loss)
        q, k = torch.from_numpy(rows.q).requires_grad_(), torch.from_numpy(rows.k)
        for scale, parts in zip(scales, found):
            s = scale * (k @ q[..., None])[..., 0]
            p = s.softmax(-1)
            ds, dq = torch.autograd.grad(loss_of(p, s, rows), (s, q))
            parts.append((p.detach(), ds.norm(dim=-1), dq.norm(dim=-1)))
    return [[torch.cat(part).numpy() for part in zip(*parts)] for parts in found]
