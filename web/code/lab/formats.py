# Numbers rounded to 16 bits, to nearest even.
import numpy as np


def rounded(format, x):
    """x in fp32, fp16 or bf16, kept as float32."""
    x = np.asarray(x).astype(np.float32)
    if format == "fp16":
        with np.errstate(over="ignore"):
            return x.astype(np.float16).astype(np.float32)
    if format == "bf16":
        bits = x.view(np.uint32)
        up = (bits + (0x7FFF + (bits >> 16 & 1)).astype(np.uint32)) & np.uint32(0xFFFF0000)
        return np.where(np.isnan(x), x, up.view(np.float32))
    return x


def rounded_once(format, x):
    """x, in double, without the error of rounding it to single precision first: that is done to odd there."""
    nearest = x.astype(np.float32)
    bits = nearest.view(np.int32)
    even = (bits & 1 == 0) & (nearest != x) & np.isfinite(nearest)
    away = np.where(abs(x) > abs(nearest), np.int32(1), np.int32(-1))
    return rounded(format, np.where(even, bits + away, bits).view(np.float32))


def shortest(x):
    """The fewest digits that give the float32 x back."""
    fixed = np.format_float_positional(np.float32(x), trim="-")
    return min(fixed, np.format_float_scientific(np.float32(x), trim="-", exp_digits=2), key=len)
