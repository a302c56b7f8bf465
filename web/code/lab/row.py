# One query and its keys, with what a loss on their weights draws.
import numpy as np
from lab.random import normal, stream_of, uniform

WIDTH = 16  # of a value


class Rows:
    """Trials of a query and n_keys keys; what the loss draws has streams of its own."""

    def __init__(self, seed, stream, d, n_keys, loss):
        rows = normal(seed, stream, (n_keys + 1) * d).reshape(-1, n_keys + 1, d).astype(np.float64)
        self.loss, self.q, self.k = loss, rows[:, 0], rows[:, 1:]
        n_own = (n_keys + 1) * WIDTH if loss in ("u_pv", "cross_entropy") else n_keys
        own = normal(seed, stream + np.uint64(stream_of("loss")), n_own).astype(np.float64)
        self.u, self.values = own, None
        if n_own > n_keys:
            self.u, self.values = own[:, :WIDTH], own[:, WIDTH:].reshape(-1, n_keys, WIDTH)
        choices = np.float32(WIDTH if loss == "cross_entropy" else n_keys)
        at = uniform(seed, stream + np.uint64(stream_of("target")), 1)[:, 0]
        self.target = (at * choices).astype(np.int64)
