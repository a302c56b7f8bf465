# The random numbers of torch.manual_seed and torch.randn on a CPU, without PyTorch.
import numpy as np


class TorchRandom:
    """MT19937, and Box and Muller's transform as PyTorch applies it."""

    def __init__(self, seed):
        self.words = np.random.RandomState(seed & 0xFFFFFFFF)
        self.second = None

    def next(self, n):
        return self.words.randint(0, 2**32, n, dtype=np.uint32).astype(np.uint64)

    def randn(self, n):
        if n < 16:
            return np.array([self.one() for _ in range(n)], np.float32)
        x = self.next(n)
        blocks = [x[i : i + 16] for i in range(0, n - 15, 16)]
        out = np.empty(n)
        out[: n - n % 16] = np.concatenate([self.sixteen(block) for block in blocks])
        if n % 16:  # the last block is drawn anew and overlaps the one before
            out[-16:] = self.sixteen(self.next(16))
        return out.astype(np.float32)

    def sixteen(self, words):
        x = (words & 0xFFFFFF) * 2.0**-24
        radius, angle = np.sqrt(-2 * np.log(1 - x[:8])), 2 * np.pi * x[8:]
        return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])

    def one(self):
        """Of fewer than 16, each in double precision, two at a time."""
        if self.second is not None:
            x, self.second = self.second, None
            return x
        high = self.next(4)
        u1, u2 = ((int(a) << 32 | int(b)) % 2**53 * 2.0**-53 for a, b in (high[:2], high[2:]))
        radius = np.sqrt(-2 * np.log1p(-u2))
        self.second = radius * np.sin(2 * np.pi * u1)
        return radius * np.cos(2 * np.pi * u1)
