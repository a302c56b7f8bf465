# The laboratory's random numbers, bit for bit: Philox4x32-10 (Salmon et al., "Parallel random numbers: as
# easy as 1, 2, 3", SC 2011). The key is the seed, the counter (block, stream).
import numpy as np


def philox(seed, stream, n):
    """Words 0 .. n - 1 of each stream: [..., n], four of a block."""
    low = 0xFFFFFFFF
    stream = np.asarray(stream, np.uint64)[..., None]
    block = np.arange((n + 3) // 4, dtype=np.uint64)
    x0, x1, x2, x3 = np.broadcast_arrays(block & low, block >> 32, stream & low, stream >> 32)
    key0, key1 = seed & low, seed >> 32
    for _ in range(10):
        a, b = x0 * 0xD2511F53, x2 * 0xCD9E8D57
        x0, x1, x2, x3 = b >> 32 ^ x1 ^ key0, b & low, a >> 32 ^ x3 ^ key1, a & low
        key0, key1 = key0 + 0x9E3779B9 & low, key1 + 0xBB67AE85 & low
    words = np.stack([x0, x1, x2, x3], -1).astype(np.uint32)
    return words.reshape(*words.shape[:-2], -1)[..., :n]


def uniform(seed, stream, n):
    """In [0, 1), multiples of 2^-24."""
    return (philox(seed, stream, n) >> 8).astype(np.float32) * np.float32(2**-24)


def hexadecimal(numbers):
    return [np.float32(float.fromhex(x)) for x in numbers.split()]


LOG = hexadecimal(
    "0x1.555554p-2 -0x1.00022cp-2 0x1.99a038p-3 -0x1.547148p-3 0x1.22d60cp-3 -0x1.0d79f8p-3 0x1.0572f2p-3 -0x1.398ec2p-4"
)
SIN = hexadecimal("-0x1.9954a4p-13 0x1.11077ap-7 -0x1.555546p-3")
COS = hexadecimal("0x1.99e0eep-16 -0x1.6c0c1ap-10 0x1.55554ap-5")
SQRT_HALF, LN2_HIGH, LN2_LOW, TURN = hexadecimal("0x1.6a09e6p-1 0x1.63p-1 -0x1.bd0106p-13 0x1.921fb6p-32")


def log(x):
    """x = 2^k (1 + f): k ln 2 + f - f^2 / 2 + f^3 p(f), in single precision."""
    bits = x.view(np.int32)
    exponent = bits - SQRT_HALF.view(np.int32) >> 23
    f = (bits - (exponent << 23)).view(np.float32) - np.float32(1)
    k, f2 = exponent.astype(np.float32), f * f
    p01, p23, p45, p67 = (f * LOG[i + 1] + LOG[i] for i in (0, 2, 4, 6))
    p = (p67 * f2 + p45) * (f2 * f2) + (p23 * f2 + p01)
    head = k * LN2_HIGH + f
    low = k * LN2_LOW + (f - (head - k * LN2_HIGH))
    return head + (f2 * f * p + low - f2 * np.float32(0.5))


def normal(seed, stream, n):
    """N(0, 1) by Box and Muller: element i of a stream does not depend on n."""
    words = philox(seed, stream, n + -n % 4)
    a, b = words[..., 0::2], words[..., 1::2]
    u = ((a >> 1).astype(np.float32) + np.float32(1)) * np.float32(2**-31)
    radius = np.sqrt(np.float32(-2) * log(u))
    # Two bits of b choose the quadrant, the others the angle r in [-pi/4, pi/4).
    quadrant, r = b >> 30, (b << 2).view(np.int32).astype(np.float32) * TURN
    r2 = r * r
    sin = r2 * r * ((SIN[0] * r2 + SIN[1]) * r2 + SIN[2]) + r
    cos = r2 * r2 * ((COS[0] * r2 + COS[1]) * r2 + COS[2]) - r2 * np.float32(0.5) + np.float32(1)
    odd, half = quadrant & 1 == 1, quadrant & 2 == 2
    sin, cos = np.where(odd, cos, sin), np.where(odd, -sin, cos)
    sign = np.where(half, np.float32(-1), np.float32(1))
    pairs = np.stack([radius * (cos * sign), radius * (sin * sign)], -1)
    return pairs.reshape(*pairs.shape[:-2], -1)[..., :n]


def stream_of(name):
    """FNV-1a: the stream of a name."""
    stream = 0xCBF29CE484222325
    for byte in name.encode():
        stream = (stream ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return stream
