"""What happens to a sentence inside one layer of the encoder?

Prints shape, mean and standard deviation of all that a layer computes, the norms' rows, one head's weights and the
spread of the residual stream behind each layer of a stack. What dropout does, and what rounding alone makes, is not
here.
Left out: row_mean_farthest_from_0, row_sum_error, permuted_change, share_changed_by_other_sequence, dropout_mean, dropout_power
"""

# The settings.
batch = 2
n = 10
d_model = 512
n_heads = 8
d_ff = 2048
norm = "post"
dropout = 0.1
padding = 3
n_layers = 6
head = 1
input = "uniform"
seed = 0

import numpy as np
from lab.show import show, show_row
from lab.transformer import Attention, FeedForward, layer_input, spread_of, sublayer, trace_line


class EncoderLayer:
    def __init__(self, name):
        self.attention = Attention(seed, f"{name}.self_attn", d_model, n_heads)
        self.feed_forward = FeedForward(seed, name, d_model, d_ff)

    def forward(self, x, norm_first, lengths=None):
        """The output, and all on the way."""
        seen = {}
        attend = lambda x: self.attention.forward(x, x, seen, lengths=lengths)
        x = sublayer(x, 1, norm_first, seen, attend)
        x = sublayer(x, 2, norm_first, seen, lambda x: self.feed_forward.forward(x, seen))
        return x, seen


x = layer_input(seed, 0, (batch, n, d_model), input)
lengths = [n] * (batch - 1) + [n - padding]
output, seen = EncoderLayer("layer").forward(x, norm == "pre", lengths)
arrays = ("q", "k", "v", "scores", "weights", "heads", "attention", "residual1", "norm1")
arrays += ("hidden", "feed_forward", "residual2", "norm2")
for name in arrays:
    print(trace_line(name, seen[name]))
print("output shape:", output.shape)
for name, array in [("input", x)] + [(name, seen[name]) for name in arrays]:
    mean, std = spread_of(array)
    show("activation_mean", mean, tensor=name)
    show("activation_std", std, tensor=name)
for name in ("norm1", "norm2"):
    deviations = seen[name].std(-1).flatten()
    show("row_std_farthest_from_1", deviations[abs(deviations - 1).argmax()], tensor=name)
padded = np.arange(n) >= np.array(lengths)[:, None, None, None]
show("masked_weight_largest", (padded * seen["weights"]).max())
for i, row in enumerate(seen["weights"][-1, head - 1]):
    show_row("head_weights", row, head=head, row=i)

post, pre = x, x
streams = {"post": [x.std()], "pre": [x.std()]}
for i in range(n_layers):
    layer = EncoderLayer(f"layers.{i}")
    post, pre = layer.forward(post, False)[0], layer.forward(pre, True)[0]
    streams["post"].append(post.std())
    streams["pre"].append(pre.std())
for form, stds in streams.items():
    show("stream_std", stds[-1], norm=form, layer=n_layers)
    show_row("stream_over_depth", stds, series=form)
