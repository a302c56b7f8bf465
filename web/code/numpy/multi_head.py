"""What do several heads see that a single one does not?

Prints the effective number of keys of each head, entropies, what one head of dimension d_model would make of the
same q and k, and all weights and outputs row by row. Errors of rounding are not here.
Left out: row_sum_error, head_mismatches, sum_of_scores_error
"""

# The settings.
text = "The cat sat on the mat"
n_heads = 4
d_model = 64
init = "xavier"
causal = "no"
seed = 0

import numpy as np
from lab.attention_layer import attend, heads_of, uniform_matrix
from lab.random import stream_of
from lab.show import show, show_row
from lab.words import word_vector, words_of

x = np.stack([word_vector(seed, word, d_model) for word in words_of(text)]).astype(np.float64)
stream = stream_of("in_proj_weight")
if init == "torch":  # the three in one matrix
    w_q, w_k, w_v = np.split(uniform_matrix(seed, stream, 3 * d_model, d_model, np.sqrt(6 / (4 * d_model))), 3)
else:
    bound = np.sqrt(6 / (2 * d_model))
    w_q, w_k, w_v = (uniform_matrix(seed, stream + i, d_model, d_model, bound) for i in range(3))
w_o = uniform_matrix(seed, stream_of("out_proj.weight"), d_model, d_model, 1 / np.sqrt(d_model))


def attention(n_heads):
    q, k, v = (heads_of(x @ w.T, n_heads) for w in (w_q, w_k, w_v))
    _, weights, heads = attend(q, k, v, causal == "yes")
    return weights, heads, heads.transpose(1, 0, 2).reshape(x.shape) @ w_o.T


def mean_entropy(weights):
    return -(weights * np.log(np.where(weights > 0, weights, 1))).sum(-1).mean()


weights, heads, output = attention(n_heads)
one = attention(1)[0][0]
mean = weights.mean(0)
for i, of_head in enumerate(weights):
    show("effective_keys_exp_mean_entropy", np.exp(mean_entropy(of_head)), head=i + 1)
show("entropy_of_heads", np.mean([mean_entropy(of_head) for of_head in weights]))
show("entropy_of_mean", mean_entropy(mean))
show("entropy_of_one_head", mean_entropy(one))
show("mean_against_one_head", abs(mean - one).max())
n = len(x)
show("multiply_adds", 4 * n * d_model**2 + 2 * n * n * d_model, n_heads=n_heads)
show("exponentials", weights.size, n_heads=n_heads)
for i, of_head in enumerate(weights):
    for row, numbers in enumerate(of_head):
        show_row("weights", numbers, head=i + 1, row=row)
for name, matrix in (("weights_mean", mean), ("weights_one_head", one)):
    for row, numbers in enumerate(matrix):
        show_row(name, numbers, row=row)
for i, of_head in enumerate(heads):
    for row, numbers in enumerate(of_head):
        show_row("head_output", numbers, head=i + 1, row=row)
for row, numbers in enumerate(output):
    show_row("output", numbers, row=row)
