# PyTorch's own layers, begun with the laboratory's numbers; each tensor on the way is kept by its name.
from collections import namedtuple

import numpy as np
import torch
from lab.attention_layer import uniform_matrix
from lab.random import normal, stream_of, uniform


def layer_input(seed, stream, shape, distribution):
    """Rows of tokens, uniform in [0, 1) as torch.rand or normal as torch.randn."""
    draw = uniform if distribution == "uniform" else normal
    return torch.from_numpy(draw(seed, stream, int(np.prod(shape)))).reshape(shape).double()


@torch.no_grad()
def begun(layer, seed, name):
    """Its matrices U(-b, b): attention's in_proj Xavier uniform, the others and their biases b = 1/sqrt(n_in)."""
    parameters = dict(layer.double().named_parameters())
    for key, parameter in parameters.items():
        if key.endswith("in_proj_weight"):
            bound = (6 / sum(parameter.shape)) ** 0.5
        elif key.endswith("out_proj.weight") or key.startswith("linear"):
            bound = parameters[key.replace("bias", "weight")].shape[1] ** -0.5
        else:
            continue
        n_out, n_in = (1, *parameter.shape)[-2:]
        numbers = uniform_matrix(seed, stream_of(f"{name}.{key}"), n_out, n_in, bound)
        parameter.copy_(torch.from_numpy(numbers).reshape(parameter.shape))
    return layer


@torch.no_grad()
def attention_steps(layer, x, source, hidden):
    """What nn.MultiheadAttention computes on the way; hidden: where a query sees no key."""

    def heads(rows, w):
        return (rows @ w.T).unflatten(-1, (layer.num_heads, -1)).transpose(1, 2)

    w_q, w_k, w_v = layer.in_proj_weight.chunk(3)
    q, k, v = heads(x, w_q), heads(source, w_k), heads(source, w_v)
    scores = (q @ k.transpose(2, 3) / q.shape[-1] ** 0.5).masked_fill(hidden, -torch.inf)
    weights = scores.softmax(-1)
    return {"q": q, "k": k, "v": v, "scores": scores, "weights": weights, "heads": weights @ v}


Call = namedtuple("Call", ["given", "out"])


@torch.no_grad()
def traced(layer, *inputs, **masks):
    """The layer's output, and what each of its modules was given and gave."""
    calls, hooks = {}, []
    for name, module in layer.named_modules():
        keep = lambda module, given, out, name=name: calls.update({name: Call(given[0] if given else None, out)})
        hooks.append(module.register_forward_hook(keep))
    out = layer(*inputs, **masks)
    for hook in hooks:
        hook.remove()
    return out, calls


def spread_of(x):
    """Mean and standard deviation of all that is not masked."""
    x = x[x.isfinite()]
    return x.mean(), x.std(unbiased=False)


def trace_line(name, x):
    mean, std = (f"{0 if abs(number) < 0.0005 else number:.3f}" for number in map(float, spread_of(x)))
    return f"{name:16}{str(tuple(x.shape)):18}mean={mean} std={std}"
