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

import math

import numpy as np
import torch
from lab.attention_layer import uniform_matrix
from lab.random import normal, stream_of, uniform
from lab.show import show, show_row

half = d_model // 2
frequency = base ** (-2 * torch.arange(half).double() / d_model)


def single(x):
    return x.float().double()


def encoding_of(n):
    angle = torch.arange(n)[:, None] * frequency
    return single(torch.stack([angle.sin(), angle.cos()], -1).reshape(n, d_model))


def turned(x):
    """Rotary positions: pair (i, i + d/2) of row p turned by p times its frequency."""
    angle = torch.arange(len(x))[:, None] * frequency
    cos, sin = single(angle.cos()), single(angle.sin())
    a, b = x[:, :half], x[:, half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def diagonals(products, first):
    """The products of each offset of the second position from the first."""
    return [products.diagonal(offset) for offset in range(first, len(products))]


wavelength = 2 * math.pi / frequency
show("wavelength_shortest", wavelength[0])
show("wavelength_longest", wavelength[-1])
show("share_longer_than_text", (wavelength > n_positions).double().mean())
encoding = encoding_of(n_positions)
show_row("dot_over_distance", [x.mean() for x in diagonals(encoding @ encoding.T, 0)], series="measured")
show_row("wavelengths", wavelength, series="wavelength")

# One query and one key put at every position.
q, k = torch.from_numpy(normal(seed, 1, 2 * d_model)).double().reshape(2, 1, d_model).expand(-1, n_positions, -1)
added = (q + encoding) @ (k + encoding).T / math.sqrt(d_model)
rotary = turned(q) @ turned(k).T / math.sqrt(d_model)
show("score_spread", max(x.max() - x.min() for x in diagonals(added, 1 - n_positions)), positions="sinusoidal")
show_row("rotary_over_offset", [x.mean() for x in diagonals(rotary, 1 - n_positions)], series="measured")

# Self-attention with one head, and what permuting its input does to its output.
bound = math.sqrt(6 / (4 * d_model))
w_in = uniform_matrix(seed, stream_of("attention.in_proj_weight"), 3 * d_model, d_model, bound)
w_out = uniform_matrix(seed, stream_of("attention.out_proj.weight"), d_model, d_model, 1 / math.sqrt(d_model))
w_q, w_k, w_v = torch.from_numpy(w_in).chunk(3)


def attention(x, rotary=False, causal=False):
    q, k, v = x @ w_q.T, x @ w_k.T, x @ w_v.T
    if rotary:
        q, k = turned(q), turned(k)
    scores = q @ k.T / math.sqrt(d_model)
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
    return scores.softmax(-1) @ v @ torch.from_numpy(w_out).T


# Sattolo's algorithm: no token stays where it was.
order = list(range(n))
draws = uniform(seed, int.from_bytes(b"cycle", "big"), n)
for i in range(n - 1, 0, -1):
    j = int(draws[i] * np.float32(i))
    order[i], order[j] = order[j], order[i]
tokens = torch.from_numpy(normal(seed, 0, n * d_model)).double().reshape(n, d_model)
permuted = tokens[order]


def change(positions, before, after):
    moved = (before[order] - after).abs().max() / before.abs().max()
    show("permuted_change", moved, positions=positions, permuted="both")


# Without any of these, and with positions that move with their tokens, nothing changes.
positions = encoding_of(n)
change("sinusoidal", attention(tokens + positions), attention(permuted + positions))
change("rotary", attention(tokens, rotary=True), attention(permuted, rotary=True))
change("causal", attention(tokens, causal=True), attention(permuted, causal=True))
