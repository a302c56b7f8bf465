"""How does attention, blind to order, learn where a token stands?

Prints the wavelengths of the sinusoidal positions, the products of positions over their distance, how far scores of
one offset differ with sinusoidal and with rotary positions, and how far the output changes when tokens are permuted.
What is 0 but for rounding is not here.
Left out: different_elements, dot_spread, score_spread positions=rotary, permuted_change
"""

# The settings.
n_positions = 100
d_model = 512
base = 10000
n = 10
seed = 0

import numpy as np
from lab.attention_layer import attend, uniform_matrix
from lab.random import normal, stream_of, uniform
from lab.show import show, show_row

half = d_model // 2
frequency = base ** (-2 * np.arange(half) / d_model)


def single(x):
    return x.astype(np.float32).astype(np.float64)


def encoding_of(n):
    angle = np.arange(n)[:, None] * frequency
    return single(np.stack([np.sin(angle), np.cos(angle)], -1).reshape(n, d_model))


def turned(x):
    """Rotary positions: pair (i, i + d/2) of row p turned by p times its frequency."""
    angle = np.arange(len(x))[:, None] * frequency
    cos, sin = single(np.cos(angle)), single(np.sin(angle))
    a, b = x[:, :half], x[:, half:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def diagonals(products, first):
    """The products of each offset of the second position from the first."""
    return [products.diagonal(offset) for offset in range(first, len(products))]


wavelength = 2 * np.pi / frequency
show("wavelength_shortest", wavelength[0])
show("wavelength_longest", wavelength[-1])
show("share_longer_than_text", (wavelength > n_positions).mean())
encoding = encoding_of(n_positions)
show_row("dot_over_distance", [x.mean() for x in diagonals(encoding @ encoding.T, 0)], series="measured")
show_row("wavelengths", wavelength, series="wavelength")

# One query and one key put at every position.
q, k = normal(seed, 1, 2 * d_model).reshape(2, 1, d_model).astype(np.float64).repeat(n_positions, 1)
added = (q + encoding) @ (k + encoding).T / np.sqrt(d_model)
rotary = turned(q) @ turned(k).T / np.sqrt(d_model)
show("score_spread", max(map(np.ptp, diagonals(added, 1 - n_positions))), positions="sinusoidal")
show_row("rotary_over_offset", [x.mean() for x in diagonals(rotary, 1 - n_positions)], series="measured")

# Self-attention with one head, and what permuting its input does to its output.
bound = np.sqrt(6 / (4 * d_model))
w_in = uniform_matrix(seed, stream_of("attention.in_proj_weight"), 3 * d_model, d_model, bound)
w_out = uniform_matrix(seed, stream_of("attention.out_proj.weight"), d_model, d_model, 1 / np.sqrt(d_model))
w_q, w_k, w_v = np.split(w_in, 3)


def attention(x, rotary=False, causal=False):
    q, k, v = x @ w_q.T, x @ w_k.T, x @ w_v.T
    if rotary:
        q, k = turned(q), turned(k)
    return attend(q[None], k[None], v[None], causal)[2][0] @ w_out.T


# Sattolo's algorithm: no token stays where it was.
order = list(range(n))
draws = uniform(seed, int.from_bytes(b"cycle", "big"), n)
for i in range(n - 1, 0, -1):
    j = int(draws[i] * np.float32(i))
    order[i], order[j] = order[j], order[i]
tokens = normal(seed, 0, n * d_model).reshape(n, d_model).astype(np.float64)
permuted = tokens[order]


def change(positions, before, after):
    moved = abs(before[order] - after).max() / abs(before).max()
    show("permuted_change", moved, positions=positions, permuted="both")


# Without any of these, and with positions that move with their tokens, nothing changes.
positions = encoding_of(n)
change("sinusoidal", attention(tokens + positions), attention(permuted + positions))
change("rotary", attention(tokens, rotary=True), attention(permuted, rotary=True))
change("causal", attention(tokens, causal=True), attention(permuted, causal=True))
