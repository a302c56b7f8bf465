"""What happens to the numbers between a sentence and the output?

Prints each step of scaled dot-product attention row by row: the tokens' vectors x, the projections, q, k and v,
the scores, the scaled scores, the weights and the output; then the largest weight and the effective number of keys
of each query. Errors of rounding are not here.
Left out: scaled_mismatches, row_sum_error, output_error, same_word_mismatches
"""

# The settings.
text = "The cat sat on the mat"
d_model = 8
d_k = 4
scale = "1/sqrt(d)"
causal = "no"
w_k = "own"
seed = 0
mode = "sentence"
query = "transformer paper"
documents = "A paper on the transformer; Attention is all you need; How to bake bread; The cat sat on the mat"

import numpy as np
import torch
from lab.random import normal, stream_of
from lab.show import show, show_row
from lab.trials import factor
from lab.words import word_vector, words_of


def projection(name):
    """Components N(0, 1/d_model): those of x w have variance 1 where those of x have."""
    numbers = normal(seed, stream_of(f"attention_steps.{name}"), d_model * d_k).reshape(d_model, d_k)
    return torch.from_numpy(numbers * np.float32(1 / np.sqrt(d_model))).double()


def texts_of(joined):
    """Texts between semicolons or lines, each a row."""
    texts = [part.strip(" \t\r\n") for part in joined.replace("\n", ";").replace("；", ";").split(";")]
    return [part for part in texts if part]


def text_vector(words):
    return sum(word_vector(seed, word, d_model) / np.float32(np.sqrt(len(words))) for word in words)


def rows_of(vectors):
    return torch.from_numpy(np.stack(list(vectors))).double()


search = mode == "search"
if search:
    queries, keys = texts_of(query), texts_of(documents)
    x_q, x_k = (rows_of(map(text_vector, map(words_of, rows))) for rows in (queries, keys))
else:
    queries = keys = words_of(text)
    x_q = x_k = rows_of(word_vector(seed, word, d_model) for word in queries)
w_q, w_v = projection("w_q"), projection("w_v")
w_k = w_q if w_k == "w_q" else projection("w_k")
q, k, v = x_q @ w_q, x_k @ w_k, x_k @ w_v
scores = q @ k.T
scaled = factor(scale, d_k) * scores
if causal == "yes" and not search:
    scaled = scaled.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
weights = scaled.softmax(-1)
output = weights @ v

if search:  # best first, as a search engine lists them
    for i in sorted(range(len(keys)), key=lambda i: -weights[0, i]):
        print(f"{weights[0, i]:.3f}  {keys[i]}")
for i, label in enumerate(queries):
    at = {"query": label if search else f"{i} {label}"}
    show("softmax_max", weights[i].max(), **at)
    show("effective_keys_exp_entropy", torch.special.entr(weights[i]).sum().exp(), **at)
matrices = {"x_query": x_q, "x_documents": x_k} if search else {"x": x_q}
matrices.update(w_q=w_q, w_k=w_k, w_v=w_v, q=q, k=k, v=v)
steps = [(1, name, matrix) for name, matrix in matrices.items()]
steps += [(2, "scores", scores), (3, "scaled_scores", scaled), (4, "weights", weights), (5, "output", output)]
for step, name, matrix in steps:
    for i, row in enumerate(matrix):
        if step in (3, 4):  # nothing is behind the mask
            row = row.masked_fill(scaled[i].isinf(), torch.nan)
        show_row(name, row, step=step, row=i)
