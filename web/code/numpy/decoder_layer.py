"""How does a decoder read its own text without seeing what comes next?

Prints shape, mean and standard deviation of all that a layer computes, one head's weights, and which outputs feel
that later target tokens are others, with the mask and without. What rounding alone makes is not here.
Left out: row_sum_error, permuted_change
"""

# The settings.
batch = 2
n_target = 10
n_source = 10
d_model = 512
n_heads = 8
d_ff = 2048
norm = "post"
changed = 5
head = 1
input = "uniform"
seed = 0

import numpy as np
from lab.show import show, show_row
from lab.transformer import Attention, FeedForward, layer_input, spread_of, sublayer, trace_line

self_attention = Attention(seed, "layer.self_attn", d_model, n_heads)
cross_attention = Attention(seed, "layer.multihead_attn", d_model, n_heads)
feed_forward = FeedForward(seed, "layer", d_model, d_ff)


def forward(x, source, causal=True):
    """The output, and all on the way."""
    seen, pre = {}, norm == "pre"
    x = sublayer(x, 1, pre, seen, lambda x: self_attention.forward(x, x, seen, causal=causal))
    x = sublayer(x, 2, pre, seen, lambda x: cross_attention.forward(x, source, seen, "cross_"))
    x = sublayer(x, 3, pre, seen, lambda x: feed_forward.forward(x, seen))
    return x, seen


target = layer_input(seed, 0, (batch, n_target, d_model), input)
source = layer_input(seed, 1, (batch, n_source, d_model), input)
output, seen = forward(target, source)
steps = ("q", "k", "v", "scores", "weights", "heads", "attention")
arrays = steps + ("residual1", "norm1") + tuple(f"cross_{step}" for step in steps)
arrays += ("residual2", "norm2", "hidden", "feed_forward", "residual3", "norm3")
for name in arrays:
    print(trace_line(name, seen[name]))
print("output shape:", output.shape)
for name in arrays:
    mean, std = spread_of(seen[name])
    show("activation_mean", mean, tensor=name)
    show("activation_std", std, tensor=name)
show("masked_weight_largest", np.triu(seen["weights"], 1).max())
for figure, name in (("self_weights", "weights"), ("cross_weights", "cross_weights")):
    for i, row in enumerate(seen[name][0, head - 1]):
        show_row(figure, row, head=head, row=i)

# Other target tokens from `changed` on.
other = layer_input(seed, 2, target.shape, input)
other[:, :changed] = target[:, :changed]
for mask in ("causal", "no_mask"):
    before, after = (forward(x, source, mask == "causal")[0] for x in (target, other))
    change = abs(before - after).max(-1) / abs(before).max(-1)
    show_row("change_by_later_tokens", change.max(0), series=mask)
    if changed > 0:
        felt = before[:, :changed].astype(np.float32) != after[:, :changed].astype(np.float32)
        show("share_changed_by_later_tokens", np.mean(felt), mask=mask)
