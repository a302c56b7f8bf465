"""What do several heads see that a single one does not?

nn.MultiheadAttention on a sentence. Prints the effective number of keys of each head, entropies, what one head of
dimension d_model would make of the same q and k, and all weights and the output row by row. Errors of rounding are
not here.
Left out: row_sum_error, head_mismatches, sum_of_scores_error, multiply_adds
"""

# The settings.
text = "The cat sat on the mat"
n_heads = 4
d_model = 64
init = "xavier"
causal = "no"
seed = 0

import math

import numpy as np
import torch
from lab.attention_layer import uniform_matrix
from lab.random import stream_of
from lab.show import show, show_row
from lab.words import word_vector, words_of

torch.set_default_dtype(torch.float64)
x = torch.from_numpy(np.stack([word_vector(seed, word, d_model) for word in words_of(text)])).double()
stream = stream_of("in_proj_weight")
if init == "torch":  # the three in one matrix
    w_in = uniform_matrix(seed, stream, 3 * d_model, d_model, math.sqrt(6 / (4 * d_model)))
else:
    bound = math.sqrt(6 / (2 * d_model))
    w_in = np.concatenate([uniform_matrix(seed, stream + i, d_model, d_model, bound) for i in range(3)])
w_out = uniform_matrix(seed, stream_of("out_proj.weight"), d_model, d_model, 1 / math.sqrt(d_model))


@torch.no_grad()
def attention(n_heads):
    """Output [n, d_model] and weights [n_heads, n, n]."""
    layer = torch.nn.MultiheadAttention(d_model, n_heads, batch_first=True)
    layer.in_proj_weight.copy_(torch.from_numpy(w_in))
    layer.out_proj.weight.copy_(torch.from_numpy(w_out))
    mask = torch.ones(len(x), len(x), dtype=torch.bool).triu(1) if causal == "yes" else None
    output, weights = layer(x[None], x[None], x[None], attn_mask=mask, average_attn_weights=False)
    return output[0], weights[0]


def mean_entropy(weights):
    return torch.special.entr(weights).sum(-1).mean()


output, weights = attention(n_heads)
one, mean = attention(1)[1][0], weights.mean(0)
for i, of_head in enumerate(weights):
    show("effective_keys_exp_mean_entropy", mean_entropy(of_head).exp(), head=i + 1)
show("entropy_of_heads", mean_entropy(weights))
show("entropy_of_mean", mean_entropy(mean))
show("entropy_of_one_head", mean_entropy(one))
show("mean_against_one_head", (mean - one).abs().max())
show("exponentials", weights.numel(), n_heads=n_heads)
for i, of_head in enumerate(weights):
    for row, numbers in enumerate(of_head):
        show_row("weights", numbers, head=i + 1, row=row)
for name, matrix in (("weights_mean", mean), ("weights_one_head", one), ("output", output)):
    for row, numbers in enumerate(matrix):
        show_row(name, numbers, row=row)
