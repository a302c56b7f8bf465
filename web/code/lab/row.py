# One query and its keys, with a loss on their weights: how much gradient reaches the scores and the query?
import numpy as np
from lab.random import normal, stream_of, uniform
from lab.trials import softmax, streams

WIDTH = 16  # of a value


def norm(x):
    """Of each row, also where its squares are too small for a double."""
    largest = np.maximum(abs(x).max(-1, keepdims=True), 1e-300)
    return largest[..., 0] * np.sqrt(((x / largest) ** 2).sum(-1))


def minus_target(p, y):
    """p - e_y, with p_y - 1 as minus the sum of the others."""
    at = np.arange(p.shape[-1]) == y[:, None]
    others = np.where(at, 0, p)
    return np.where(at, -others.sum(-1, keepdims=True), p)


class Rows:
    """Trials of one query and n_keys keys; what the loss draws has streams of its own."""

    def __init__(self, seed, stream, d, n_keys, loss):
        self.loss = loss
        rows = normal(seed, stream, (n_keys + 1) * d).reshape(-1, n_keys + 1, d).astype(np.float64)
        self.q, self.k = rows[:, 0], rows[:, 1:]
        self.scores = (self.k @ self.q[..., None])[..., 0]
        valued = loss in ("u_pv", "cross_entropy")
        own = normal(seed, stream + np.uint64(stream_of("loss")), (n_keys + 1) * WIDTH if valued else n_keys)
        self.u, own = own[:, : WIDTH if valued else n_keys].astype(np.float64), own[:, WIDTH:]
        self.values = own.reshape(-1, n_keys, WIDTH).astype(np.float64) if valued else None
        choices = WIDTH if loss == "cross_entropy" else n_keys
        at = uniform(seed, stream + np.uint64(stream_of("target")), 1)[:, 0]
        self.target = (at * np.float32(choices)).astype(int)

    def by_weights(self, p):
        """∂L/∂p."""
        if self.loss == "u_p":
            return self.u
        if self.loss == "u_pv":
            by_output = self.u / np.sqrt(WIDTH)
        else:
            by_output = minus_target(softmax((p[:, None, :] @ self.values)[:, 0]), self.target)
        return (self.values @ by_output[..., None])[..., 0]

    def gradient(self, scale):
        """The weights p, ‖∂L/∂s‖ of the scaled scores s, and ‖∂L/∂q‖ with ∂L/∂q = scale · ∂L/∂s · k."""
        p = softmax(scale * self.scores)
        if self.loss == "log_p":
            ds = minus_target(p, self.target)
        else:  # ds_j = p_j (dp_j - sum_i p_i dp_i), dp from that of the largest weight on
            dp = self.by_weights(p)
            dp = dp - np.take_along_axis(dp, p.argmax(-1)[:, None], -1)
            ds = p * (dp - (p * dp).sum(-1, keepdims=True))
        largest = np.maximum(abs(ds).max(-1), 1e-300)
        dq = ((ds / largest[:, None])[:, None, :] @ self.k)[:, 0]
        return p, norm(ds), abs(scale) * largest * norm(dq)


def gradients(seed, d, n_keys, trials, loss, scales):
    """Of each scale the weights and the two norms over all trials."""
    found = [[] for _ in scales]
    for stream in streams(d, (n_keys + 1) * max(d, WIDTH), trials):
        rows = Rows(seed, stream, d, n_keys, loss)
        for scale, parts in zip(scales, found):
            parts.append(rows.gradient(scale))
    return [[np.concatenate(part) for part in zip(*parts)] for parts in found]
