# Trials: what is drawn, the scores of a query and its keys, and their softmax in double precision.
import numpy as np
from lab.random import normal


def factor(scale, d):
    """By what q·k is multiplied: computed in double, rounded to single precision once."""
    named = {"none": 1, "1/sqrt(d)": 1 / np.sqrt(d), "1/(2*sqrt(d))": 0.5 / np.sqrt(d), "1/d": 1 / d}
    return float(np.float32(named[scale] if scale in named else float(scale)))


def streams(d, n_numbers, trials):
    """The streams d·2^32 + t of trials t, so many at a time as draw some ten thousand numbers."""
    some = max(1, 2**16 // n_numbers)
    for first in range(0, trials, some):
        yield np.arange(first, min(first + some, trials), dtype=np.uint64) + np.uint64(d << 32)


def drawn(seed, d, n_rows, trials, draw=normal):
    """Rows of d numbers, [some trials, n_rows, d] at a time."""
    for stream in streams(d, n_rows * d, trials):
        yield draw(seed, stream, n_rows * d).reshape(-1, n_rows, d)


def scores_of(rows):
    """q·k of each trial, whose first row is q and whose others are keys."""
    rows = rows.astype(np.float64)
    return (rows[:, 1:] @ rows[:, 0, :, None])[..., 0]


def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def entropy(scores):
    """Of softmax(scores), in nats: -sum p ln p = ln(sum e^s) - sum p s, s from the largest score on."""
    shifted = scores - scores.max(-1, keepdims=True)
    powers = np.exp(shifted)
    total = powers.sum(-1)
    return np.log(total) - (powers * shifted).sum(-1) / total
