"""Do scores overflow in 16 bits, and does the scale come in time?

Scores of rounded q and k: summed in fp32, summed in 16 bits, the first divided by √d afterwards, and q divided
before. Prints where a sum leaves the format, the share of scores that are not finite and of rows with NaN, the
relative error, and the change of weights by rounding: the mean over trials ± its standard error.
"""

# The settings.
d = [64, 512]
std = [1, 32, 64, 100]
format = "fp16"
products = "exact"
n_keys = 64
trials = 100
seed = 0

import numpy as np
from lab.formats import rounded, rounded_once, shortest
from lab.show import show
from lab.trials import drawn, softmax

np.seterr(over="ignore", invalid="ignore")
largest_number = 65504.0 if format == "fp16" else float.fromhex("0x1.fep127")


def in_format(x):
    return rounded(format, x).astype(np.float64)


def added(q, k, accumulate):
    """The sums of q_j k_j over j, rounded after each addition: q [trials, d], k [trials, n, d]."""
    total = np.zeros(k.shape[:2])
    for j in range(k.shape[2]):
        total = accumulate(total + q[:, None, j] * k[..., j]).astype(np.float64)
    return total


def in_16_bits(q, k):
    """The same in the format, where products may be rounded too."""
    if products == "exact":
        return added(q, k, lambda total: rounded_once(format, total))
    total = np.zeros(k.shape[:2])
    for j in range(k.shape[2]):
        total = in_format(total + in_format(q[:, None, j] * k[..., j]))
    return total


def birth(q, k, exact):
    """Where the sum of a score leaves the format that is finite exactly."""
    total = np.float64(0)
    for terms, product in enumerate(q * k, 1):
        total = in_format(total + (in_format(product) if products == "rounded" else product))
        if not np.isfinite(total):
            break
    return f"{shortest(total)} after {terms} of {len(q)} terms; exact {exact:.1f}"


weight_errors = []
for width in sorted(set(d)):
    rows = np.concatenate(list(drawn(seed, width, n_keys + 1, trials)))
    factor = np.float32(1 / np.sqrt(width))
    for spread in sorted(set(std)):
        x = np.float32(spread) * rows
        q, k = in_format(x[:, 0]), in_format(x[:, 1:])
        exact = (k @ q[..., None])[..., 0]
        fp32_sum = rounded(format, added(q, k, lambda total: rounded("fp32", total)))
        own_sum = in_16_bits(q, k)
        ways = {
            "fp32_sum": fp32_sum,
            "own_sum": own_sum,
            "scaled_after": rounded(format, factor * fp32_sum),
            "scaled_before": in_16_bits(in_format(factor * x[:, 0]), k),
        }
        at = {"d": width, "std": spread}
        show("scores_beyond_exactly", (abs(exact) > largest_number).mean(-1), **at)
        for computed, scores in ways.items():
            finite = np.isfinite(scores)
            show("scores_not_finite", (~finite).mean(-1), **at, computed=computed)
            if computed != "scaled_after":
                nan = (np.isnan(scores) | (scores == np.inf)).any(-1)
                show("rows_with_nan", nan.astype(float), **at, computed=computed)
            if computed in ("fp32_sum", "own_sum"):
                error = np.where(finite, scores - exact, 0)
                errors = (error**2).mean(-1)
                value = np.sqrt(errors.mean() / (exact**2).mean(-1).mean())
                se = errors.std(ddof=1) / np.sqrt(trials) / errors.mean() * value / 2 if value > 0 else 0
                told = (value, se) if finite.any() else (np.nan,)  # of no finite score there is no error
                show("rms_rel_error", *told, **at, computed=computed)
        for trial, key in np.argwhere(~np.isfinite(own_sum) & (abs(exact) <= largest_number))[:1]:
            text = birth(q[trial], k[trial, key], exact[trial, key])
            print(f"d={width} std={spread} key {key}: {text}")
    standard = exact / max(std) ** 2
    for name, scale in (("1/sqrt(d)", 1 / np.sqrt(width)), ("none", 1)):
        change = softmax(in_format(scale * standard)) - softmax(scale * standard)
        weight_errors.append((width, name, abs(change).max(-1)))
for width, name, change in weight_errors:
    show("max_abs_prob_error_from_rounding_logits", change, d=width, scale=name)
