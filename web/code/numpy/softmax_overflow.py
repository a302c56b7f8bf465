"""When does the exponential function overflow?

Prints one row of scores in three formats, with and without the largest score subtracted; where the exponential
overflows and where it is 0; and over trials the share of broken rows and of weights that are 0.
"""

# The settings.
d = [32, 128, 512]
n_keys = 8
scale = ["none", "1/sqrt(d)"]
trials = 2000
scores = None
seed = 0

import numpy as np
from lab.formats import rounded, shortest
from lab.show import show
from lab.trials import drawn, factor, scores_of

np.seterr(over="ignore", divide="ignore", invalid="ignore")
formats = ("fp32", "fp16", "bf16")


def compute(x, format, subtract):
    """Exponentials, their sum and the weights of rows: all rounded to the format, but for the sum in fp32."""
    x = rounded(format, x)
    power = rounded(format, x - (x.max(-1, keepdims=True) if subtract else np.float32(0)))
    exponentials = rounded(format, np.exp(power.astype(np.float64)))
    total = exponentials.cumsum(-1, dtype=np.float32)[..., -1:]
    return exponentials, total, rounded(format, exponentials / total)


def broken(weights):
    """Infinite exponentials give NaN, or 0 to all others; only zeros give 0/0."""
    total = weights.cumsum(-1, dtype=np.float32)[..., -1]
    return ~((total > 0.9) & (total < 1.1))


def last(start, end, inside):
    """Bisects the last x from start towards end that is inside."""
    for _ in range(60):
        middle = (start + end) / 2
        start, end = (middle, end) if inside(np.exp(middle)) else (start, middle)
    return start


row = np.array(scores[0] if scores else [50, 1, 1, 1], np.float32)
for format in formats:
    for subtract in (False, True):
        e, total, weights = (" ".join(map(shortest, x)) for x in compute(row, format, subtract))
        print(f"{format} {'e^(s-max)' if subtract else 'e^s'} = {e}  sum = {total}  weights = {weights}")
for format in formats:
    show("exp_overflows_above", last(0, 200, lambda e: np.isfinite(rounded(format, e))), format=format)
    show("exp_is_zero_below", last(0, -200, lambda e: rounded(format, e) != 0), format=format)

ever = {format: 0 for format in formats}  # rows broken though the largest was subtracted
for width in sorted(set(d)):
    all_scores = np.concatenate([scores_of(rows) for rows in drawn(seed, width, n_keys + 1, trials)])
    for each in scale:
        scaled = factor(each, width) * all_scores.astype(np.float32).astype(np.float64)
        for format in formats:
            at = {"d": width, "scale": each, "format": format}
            show("rows_broken", broken(compute(scaled, format, False)[2]), **at)
            weights = compute(scaled, format, True)[2]
            show("weights_zero", (weights == 0).mean(-1), **at)
            ever[format] += broken(weights).sum()
for format in formats:
    show("rows_broken_subtracted", ever[format], format=format)
