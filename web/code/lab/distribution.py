# Other distributions of zero mean and unit variance.
import numpy as np
from lab.random import normal, uniform


def standard(distribution, nu):
    """The function that draws the distribution: normal, uniform, rademacher or student_t."""

    def centred(seed, stream, n):
        return ((uniform(seed, stream, n) - np.float32(0.5)) + np.float32(2**-25)) * np.float32(12**0.5)

    def coins(seed, stream, n):
        return np.where(uniform(seed, stream, n) < 0.5, np.float32(-1), np.float32(1))

    def student_t(seed, stream, n):
        # Bailey, "Polar generation of random variates with the t-distribution", Math. Comp. 62 (1994).
        x = uniform(seed, stream, 3 * n).astype(np.float64)
        u = x[..., 0::3] + (x[..., 1::3] + 2**-25) * 2**-24
        radius = np.sqrt((nu - 2) * (u ** (-2 / nu) - 1))
        return (radius * np.cos(2 * np.pi * x[..., 2::3])).astype(np.float32)

    return {"normal": normal, "uniform": centred, "rademacher": coins, "student_t": student_t}[distribution]
