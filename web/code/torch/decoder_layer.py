"""How does a decoder read its own text without seeing what comes next?

nn.TransformerDecoderLayer. Prints shape, mean and standard deviation of all that it computes, one head's weights, and
which outputs feel that later target tokens are others, with the mask and without. What rounding alone makes is not
here.
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

import torch
from lab.show import show, show_row
from lab.torch_transformer import attention_steps, begun, layer_input, spread_of, trace_line, traced

pre = norm == "pre"
form = {"batch_first": True, "norm_first": pre}
layer = begun(torch.nn.TransformerDecoderLayer(d_model, n_heads, d_ff, dropout=0.0, **form), seed, "layer")
target = layer_input(seed, 0, (batch, n_target, d_model), input)
source = layer_input(seed, 1, (batch, n_source, d_model), input)
later = torch.ones(n_target, n_target, dtype=torch.bool).triu(1)
output, calls = traced(layer, target, source, tgt_mask=later)

x = calls["norm1"].out if pre else target
seen = attention_steps(layer.self_attn, x, x, later)
seen["attention"] = calls["self_attn"].out[0]
seen["residual1"] = calls["norm2" if pre else "norm1"].given
seen["norm1"] = calls["norm1"].out
x = calls["norm2"].out if pre else calls["norm1"].out
cross = attention_steps(layer.multihead_attn, x, source, torch.zeros(n_target, n_source, dtype=torch.bool))
seen.update((f"cross_{name}", tensor) for name, tensor in cross.items())
seen["cross_attention"] = calls["multihead_attn"].out[0]
seen["residual2"] = calls["norm3" if pre else "norm2"].given
seen["norm2"] = calls["norm2"].out
seen["hidden"] = calls["linear1"].out.relu()
seen["feed_forward"] = calls["linear2"].out
seen["residual3"] = output if pre else calls["norm3"].given
seen["norm3"] = calls["norm3"].out

for name, tensor in seen.items():
    print(trace_line(name, tensor))
print("output shape:", tuple(output.shape))
for name, tensor in seen.items():
    mean, std = spread_of(tensor)
    show("activation_mean", mean, tensor=name)
    show("activation_std", std, tensor=name)
show("masked_weight_largest", seen["weights"].triu(1).max())
for figure, name in (("self_weights", "weights"), ("cross_weights", "cross_weights")):
    for i, row in enumerate(seen[name][0, head - 1]):
        show_row(figure, row, head=head, row=i)

# Other target tokens from `changed` on.
other = layer_input(seed, 2, target.shape, input)
other[:, :changed] = target[:, :changed]
for mask, hidden in (("causal", later), ("no_mask", None)):
    with torch.no_grad():
        before, after = (layer(x, source, tgt_mask=hidden) for x in (target, other))
    change = (before - after).abs().amax(-1) / before.abs().amax(-1)
    show_row("change_by_later_tokens", change.amax(0), series=mask)
    if changed > 0:
        felt = before[:, :changed].float() != after[:, :changed].float()
        show("share_changed_by_later_tokens", felt.double().mean(), mask=mask)
