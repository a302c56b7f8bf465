# A layer as PyTorch's MultiheadAttention, its biases 0.
import numpy as np
from lab.random import uniform
from lab.trials import softmax


def uniform_matrix(seed, stream, n_out, n_in, bound):
    """U(-bound, bound), [n_out, n_in]."""
    numbers = uniform(seed, stream, n_out * n_in).reshape(n_out, n_in)
    return ((2 * numbers - 1) * np.float32(bound)).astype(np.float64)


def masked(scores):
    """A query sees no key after itself."""
    return np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)


def heads_of(x, n_heads):
    """[n, d_model] -> [n_heads, n, d_k]."""
    return x.reshape(len(x), n_heads, -1).transpose(1, 0, 2)


def attend(q, k, v, causal=False):
    """Scaled scores, weights and outputs of heads [n_heads, n, d_k]."""
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    scores = masked(scores) if causal else scores
    weights = softmax(scores)
    return scores, weights, weights @ v
