# Layers of a transformer as PyTorch has them and begins them; each array on the way is kept by its name.
import numpy as np
from lab.attention_layer import masked, uniform_matrix
from lab.random import normal, stream_of, uniform
from lab.trials import softmax


def layer_input(seed, stream, shape, distribution):
    """Rows of tokens, uniform in [0, 1) as torch.rand or normal as torch.randn."""
    draw = uniform if distribution == "uniform" else normal
    return draw(seed, stream, int(np.prod(shape))).reshape(shape).astype(np.float64)


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + np.float64(np.float32(1e-5)))


class Attention:
    """nn.MultiheadAttention: its biases begin as 0."""

    def __init__(self, seed, name, d_model, n_heads):
        stream = stream_of(f"{name}.in_proj_weight")
        w_in = uniform_matrix(seed, stream, 3 * d_model, d_model, np.sqrt(6 / (4 * d_model)))
        self.w_q, self.w_k, self.w_v = np.split(w_in, 3)
        stream = stream_of(f"{name}.out_proj.weight")
        self.w_out = uniform_matrix(seed, stream, d_model, d_model, 1 / np.sqrt(d_model))
        self.n_heads = n_heads

    def heads(self, x, w):
        """[batch, n, d_model] -> [batch, n_heads, n, d_k]."""
        return (x @ w.T).reshape(*x.shape[:2], self.n_heads, -1).transpose(0, 2, 1, 3)

    def forward(self, x, source, seen, prefix="", causal=False, lengths=None):
        q, k, v = self.heads(x, self.w_q), self.heads(source, self.w_k), self.heads(source, self.w_v)
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
        if causal:
            scores = masked(scores)
        if lengths is not None:
            padded = np.arange(k.shape[2]) >= np.array(lengths)[:, None, None, None]
            scores = np.where(padded, -np.inf, scores)
        weights = softmax(scores)
        heads = weights @ v
        out = heads.transpose(0, 2, 1, 3).reshape(x.shape) @ self.w_out.T
        names = ("q", "k", "v", "scores", "weights", "heads", "attention")
        seen.update((prefix + name, array) for name, array in zip(names, (q, k, v, scores, weights, heads, out)))
        return out


class FeedForward:
    """Linear, ReLU, Linear."""

    def __init__(self, seed, name, d_model, d_ff):
        def linear(which, n_out, n_in):
            bound = 1 / np.sqrt(n_in)
            w = uniform_matrix(seed, stream_of(f"{name}.{which}.weight"), n_out, n_in, bound)
            return w, uniform_matrix(seed, stream_of(f"{name}.{which}.bias"), 1, n_out, bound)

        self.first, self.second = linear("linear1", d_ff, d_model), linear("linear2", d_model, d_ff)

    def forward(self, x, seen):
        (w1, b1), (w2, b2) = self.first, self.second
        seen["hidden"] = np.maximum(x @ w1.T + b1, 0)
        seen["feed_forward"] = seen["hidden"] @ w2.T + b2
        return seen["feed_forward"]


def sublayer(x, number, norm_first, seen, f):
    """x + f(x) with a norm behind it (post), or before f (pre)."""
    norm, residual = f"norm{number}", f"residual{number}"
    if norm_first:
        seen[norm] = layer_norm(x)
        seen[residual] = x + f(seen[norm])
        return seen[residual]
    seen[residual] = x + f(x)
    seen[norm] = layer_norm(seen[residual])
    return seen[norm]


def spread_of(x):
    """Mean and standard deviation of all that is not masked."""
    x = x[np.isfinite(x)]
    return x.mean(), x.std()


def three_decimals(x):
    return f"{0 if abs(x) < 0.0005 else x:.3f}"


def trace_line(name, x):
    mean, std = map(three_decimals, spread_of(x))
    return f"{name:16}{str(x.shape):18}mean={mean} std={std}"
