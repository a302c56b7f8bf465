"""How large is the dot product of two random vectors?

Prints mean, variance and excess kurtosis of the scores q·k, the share beyond three standard deviations, and
moments within a trial, whose scores share q: the mean over trials ± its standard error.
"""

# The settings.
d = [4, 16, 64, 256]
n_keys = 8
scale = ["none", "1/sqrt(d)", "1/(2*sqrt(d))", "1/d"]
distribution = "normal"
nu = 3
mean = 0
correlation = 0
sigma_q = 1
sigma_k = 1
trials = 10000
walks = 0
seed = 0

import numpy as np
from lab.distribution import standard
from lab.moments import moments_of
from lab.show import show, show_row
from lab.trials import drawn, factor, scores_of


def moment(order):
    """E[x^order] of the standard distribution; infinite where it does not exist."""
    if order % 2:
        return 0.0
    odd = range(1, order, 2)
    return {
        "normal": lambda: np.prod([1.0, *odd]),
        "uniform": lambda: 3.0 ** (order // 2) / (order + 1),
        "rademacher": lambda: 1.0,
        "student_t": lambda: np.prod([(nu - 2) * i / (nu - 1 - i) for i in odd]) if order < nu else np.inf,
    }[distribution]()


own = np.sqrt(1 - correlation**2)


def with_moments(rows):
    """q = mean + sigma_q x, k = mean + sigma_k (correlation x + sqrt(1 - correlation²) y)."""
    single = np.float32
    x, y = rows[:, :1], rows[:, 1:]
    q = single(mean) + single(sigma_q) * x
    if mean == 0 and sigma_q == 1 and sigma_k == 1 and correlation == 0:
        return rows
    k = single(mean) + single(sigma_k) * (single(correlation) * x + single(own) * y)
    return np.concatenate([q, k], 1)


draw = standard(distribution, nu)
for width in sorted(set(d)):
    # E[(qk - E qk)²] of one component, the polynomial in x and y multiplied out.
    a, b = sigma_q, sigma_k
    by_x, by_y, by_xx, by_xy = mean * (a + b * correlation), mean * b * own, a * b * correlation, a * b * own
    variance = by_x**2 + by_y**2 + by_xy**2
    if by_xx:
        variance += by_xx**2 * (moment(4) - 1) + 2 * by_x * by_xx * moment(3)
    centre, spread = width * (mean**2 + correlation * a * b), np.sqrt(width * variance)
    if not (0 < spread < np.inf):
        spread = 1.0

    parts = drawn(seed, width, n_keys + 1, trials, draw)
    scores = np.concatenate([scores_of(with_moments(rows)) for rows in parts])
    estimates = moments_of(scores, centre, spread)
    for name in ("mean", "variance", "excess_kurtosis"):
        show(f"score_{name}", *estimates[name], d=width)
    show("share_beyond_3_sigma", (abs(scores - centre) > 3 * spread).mean(-1), d=width)
    for each in scale:
        scaled = factor(each, width) * scores
        show("logit_mean_per_trial", scaled.mean(-1), d=width, scale=each)
        if n_keys > 1:
            show("logit_variance_per_trial", scaled.var(-1, ddof=1), d=width, scale=each)
        show("logit_mean_square_per_trial", (scaled**2).mean(-1), d=width, scale=each)

    if walks > 0:
        # The first scores as sums that grow product by product, looked at after so many of them.
        first = drawn(seed, width, n_keys + 1, -(-walks // n_keys), draw)
        rows = np.concatenate([with_moments(rows) for rows in first]).astype(np.float64)
        sums = (rows[:, :1] * rows[:, 1:]).cumsum(-1).reshape(-1, width)[:walks]
        steps = min(width, 64)
        terms = np.arange(steps + 1) * width // steps
        sums = np.pad(sums, ((0, 0), (1, 0)))[:, terms]
        for walk in sums[:20]:
            show_row("score_walks", walk, d=width, series="walk")
        if walks > 20:
            for name in ("95 %", "68 %"):  # in the page, bands around this line
                show_row("score_walks", np.median(sums, 0), d=width, series=name)
        show_row("score_walks", terms * (centre / width), d=width, series="expected")
