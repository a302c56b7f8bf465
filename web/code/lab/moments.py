# Moments over all scores of trials. Scores of one trial share q: standard errors are those of means over
# trials, by the delta method.
import numpy as np


def moments_of(scores, centre, unit):
    """(value, standard error) of mean, variance and excess kurtosis. Scores: [trials, n]."""
    u = (scores - centre) / unit
    powers = np.stack([(u**i).mean(-1) for i in (1, 2, 3, 4)])
    m, p2, p3, p4 = powers.mean(-1)
    covariance = np.cov(powers) / len(scores)

    def se(*gradient):
        return np.sqrt(max(gradient @ covariance @ np.array(gradient), 0))

    c2, c4 = p2 - m**2, p4 - 4 * m * p3 + 6 * m**2 * p2 - 3 * m**4
    with np.errstate(divide="ignore", invalid="ignore"):
        by_c4, by_c2 = 1 / c2**2, -2 * c4 / c2**3
    by_m = by_c4 * (12 * m * p2 - 4 * p3 - 12 * m**3) - 2 * m * by_c2
    return {
        "mean": (centre + unit * m, unit * se(1, 0, 0, 0)),
        "variance": (unit**2 * (c2 + se(1, 0, 0, 0) ** 2), unit**2 * se(-2 * m, 1, 0, 0)),
        "excess_kurtosis": (c4 * by_c4 - 3, se(by_m, 6 * m**2 * by_c4 + by_c2, -4 * m * by_c4, by_c4)),
    }
