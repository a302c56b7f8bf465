# How much gradient of a loss on the weights of one query and its keys reaches the scores and the query?
import numpy as np
from lab.row import WIDTH, Rows
from lab.trials import softmax, streams


def norm_of(x):
    """Of each row, also where its squares are too small for a double."""
    largest = np.maximum(abs(x).max(-1, keepdims=True), 1e-300)
    return largest[..., 0] * np.sqrt(((x / largest) ** 2).sum(-1))


def minus_target(p, y):
    """p - e_y, with p_y - 1 as minus the sum of the others."""
    at = np.arange(p.shape[-1]) == y[:, None]
    return np.where(at, -np.where(at, 0, p).sum(-1, keepdims=True), p)


def by_weights(p, rows):
    """∂L/∂p."""
    if rows.loss == "u_p":
        return rows.u
    if rows.loss == "u_pv":
        by_output = rows.u / np.sqrt(WIDTH)
    else:
        by_output = minus_target(softmax((p[:, None] @ rows.values)[:, 0]), rows.target)
    return (rows.values @ by_output[..., None])[..., 0]


def gradient(rows, scale):
    """The weights p, ‖∂L/∂s‖ of the scaled scores s, and ‖∂L/∂q‖ with ∂L/∂q = scale · ∂L/∂s · k."""
    p = softmax(scale * (rows.k @ rows.q[..., None])[..., 0])
    if rows.loss == "log_p":
        ds = minus_target(p, rows.target)
    else:  # ds_j = p_j (dp_j - sum_i p_i dp_i), dp from that of the largest weight on
        dp = by_weights(p, rows)
        dp = dp - np.take_along_axis(dp, p.argmax(-1)[:, None], -1)
        ds = p * (dp - (p * dp).sum(-1, keepdims=True))
    largest = np.maximum(abs(ds).max(-1), 1e-300)
    dq = ((ds / largest[:, None])[:, None] @ rows.k)[:, 0]
    return p, norm_of(ds), abs(scale) * largest * norm_of(dq)


def gradients(seed, d, n_keys, trials, loss, scales):
    """Of each scale the weights and the two norms over all trials."""
    found = [[] for _ in scales]
    for stream in streams(d, (n_keys + 1) * max(d, WIDTH), trials):
        rows = Rows(seed, stream, d, n_keys, loss)
        for scale, parts in zip(scales, found):
            parts.append(gradient(rows, scale))
    return [[np.concatenate(part) for part in zip(*parts)] for parts in found]
