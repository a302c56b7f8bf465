"""Why the dot product, and not the cosine or the distance?

Prints the similarities and weights of q and each key; over trials the largest weight and how often the best key
is the dot product's, the mean ± its standard error; and what each measure costs. Times are of a device and are
not here, neither are errors of rounding: measured and rounds have no effect.
Left out: expansion_error, key_penalty_error, equal_lengths_error, milliseconds, time_exponent_d, time_of_dot, clock_step
"""

# The settings.
q = [[2, 1]]
k = [[0.4, 0.2], [5, -2], [2, 0.2]]
d = [2, 8, 32, 128, 512]
n_keys = 8
n = 128
trials = 500
measured = "no"
rounds = 9
seed = 0

import math

import torch
import torch.nn.functional as F
from lab.show import show, show_row
from lab.trials import drawn


def measures(q, k):
    """Scores of about unit spread: q·k / √d, √d cos(q, k), -|q - k|² / (2√d)."""
    root = math.sqrt(q.shape[-1])
    q = q[..., None, :]
    distance = torch.cdist(q, k, compute_mode="donot_use_mm_for_euclid_dist")[..., 0, :]
    cosine = F.cosine_similarity(q, k, dim=-1)
    return {"dot": (q * k).sum(-1) / root, "cosine_similarity": cosine * root, "euclidean": -(distance**2) / (2 * root)}


one, keys = (torch.tensor(x).float().double() for x in (q[0], k))
root = math.sqrt(len(one))
example = measures(one, keys)
for i, (dot, cosine, distance) in enumerate(zip(*example.values())):
    distance = (-2 * root * distance).sqrt()
    print(f"key {i}: q·k = {dot * root:.3f}  cos = {cosine / root:.3f}  |q-k| = {distance:.3f}")
for name, scores in example.items():
    show("best_key", scores.argmax(), measure=name)
    show_row("weights", scores.softmax(-1), series=name)

for width in sorted(set(d)):
    parts = []
    for rows in drawn(seed, width, n_keys + 1, trials):
        rows = torch.from_numpy(rows).double()
        parts.append(measures(rows[:, 0], rows[:, 1:]))
    best = torch.cat([part["dot"].argmax(-1) for part in parts])
    for name in example:
        scores = torch.cat([part[name] for part in parts])
        show("softmax_max", scores.softmax(-1).amax(-1), d=width, measure=name)
        if name != "dot":
            show("same_winner", scores.argmax(-1) == best, d=width, measure=name)
    # Additions, multiplications, divisions and roots for n queries and n keys; numbers held besides q and k.
    product, squares = 2 * n * n * width, 4 * n * width
    ways = {
        "dot": (product, n * n),
        "cosine_similarity": (product + squares + 4 * n + 2 * n * n, n * n + 2 * n),
        "euclidean": (product + squares + 3 * n * n, n * n + 2 * n),
        "euclidean_direct": (3 * n * n * width, n * n * width + n * n),
    }
    for way, (operations, held) in ways.items():
        show("operations", operations, d=width, way=way)
        show("numbers_held", held, d=width, way=way)
