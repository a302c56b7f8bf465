"""What happens to a sentence inside one layer of the encoder?

nn.TransformerEncoderLayer. Prints shape, mean and standard deviation of all that it computes, the norms' rows, one
head's weights and the spread of the residual stream behind each layer of a stack. What dropout does, and what
rounding alone makes, is not here.
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

import torch
from lab.show import show, show_row
from lab.torch_transformer import attention_steps, begun, layer_input, spread_of, trace_line, traced


def encoder_layer(name, norm_first):
    form = {"batch_first": True, "norm_first": norm_first}
    return begun(torch.nn.TransformerEncoderLayer(d_model, n_heads, d_ff, dropout=0.0, **form), seed, name)


pre = norm == "pre"
x = layer_input(seed, 0, (batch, n, d_model), input)
lengths = torch.tensor([n] * (batch - 1) + [n - padding])
padded = torch.arange(n) >= lengths[:, None]
layer = encoder_layer("layer", pre)
output, calls = traced(layer, x, src_key_padding_mask=padded)
attended = calls["norm1"].out if pre else x
seen = attention_steps(layer.self_attn, attended, attended, padded[:, None, None])
seen["attention"] = calls["self_attn"].out[0]
seen["residual1"] = calls["norm2" if pre else "norm1"].given
seen["norm1"] = calls["norm1"].out
seen["hidden"] = calls["linear1"].out.relu()
seen["feed_forward"] = calls["linear2"].out
seen["residual2"] = output if pre else calls["norm2"].given
seen["norm2"] = calls["norm2"].out

for name, tensor in seen.items():
    print(trace_line(name, tensor))
print("output shape:", tuple(output.shape))
for name, tensor in [("input", x), *seen.items()]:
    mean, std = spread_of(tensor)
    show("activation_mean", mean, tensor=name)
    show("activation_std", std, tensor=name)
for name in ("norm1", "norm2"):
    deviations = seen[name].std(-1, unbiased=False).flatten()
    show("row_std_farthest_from_1", deviations[(deviations - 1).abs().argmax()], tensor=name)
show("masked_weight_largest", (padded[:, None, None] * seen["weights"]).max())
for i, row in enumerate(seen["weights"][-1, head - 1]):
    show_row("head_weights", row, head=head, row=i)

for form in ("post", "pre"):
    stream, stds = x, [spread_of(x)[1]]
    for i in range(n_layers):
        with torch.no_grad():
            stream = encoder_layer(f"layers.{i}", form == "pre")(stream)
        stds.append(spread_of(stream)[1])
    show("stream_std", stds[-1], norm=form, layer=n_layers)
    show_row("stream_over_depth", stds, series=form)
