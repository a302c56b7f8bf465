#!/usr/bin/env python3
"""Writes cases/: values and gradients that PyTorch computes in float64 from float32 inputs.

    apt-get install python3-torch && python3 tests/conformance/make_cases.py

A folder per case: case.json and one .npy per tensor. `torch_f32_max_abs_err` is what PyTorch itself loses in float32.
"""
import json
import math
import pathlib
import shutil

import numpy as np
import torch
import torch.nn.functional as F

OUT = pathlib.Path(__file__).parent / "cases"
INTEGERS = {torch.int64: "int64", torch.bool: "bool"}


def normals(*shape, scale=1.0):
    return torch.randn(*shape) * scale


def run(function, inputs, dtype):
    """Outputs and the gradients of <grad_output, output> by every float input that is not itself a gradient."""
    given = {k: x if x.dtype in INTEGERS else x.to(dtype).detach() for k, x in inputs.items()}
    leaves = {k: x.requires_grad_() for k, x in given.items() if x.is_floating_point() and not k.startswith("grad_")}
    outputs = function(**{k: x for k, x in given.items() if not k.startswith("grad_")})
    upstream = {k[5:]: x for k, x in given.items() if k.startswith("grad_")}
    for name, gradient in upstream.items():
        outputs[name].backward(gradient.reshape(outputs[name].shape), retain_graph=True)
    results = {k: x.detach() for k, x in outputs.items()}
    results.update({"d_" + k: x.grad for k, x in leaves.items() if x.grad is not None})
    return {k: x.reshape(1) if x.dim() == 0 else x for k, x in results.items()}


def save(folder, side, name, tensor):
    array = tensor.detach().numpy()
    file = f"{side}_{name}.npy"
    np.save(folder / file, array)
    dtype = INTEGERS.get(tensor.dtype, str(array.dtype))
    return {"name": name, "dtype": dtype, "shape": list(array.shape), "file": file}


def case(name, op, function, inputs, **attributes):
    folder = OUT / name
    folder.mkdir(parents=True)
    exact, rounded = run(function, inputs, torch.float64), run(function, inputs, torch.float32)
    outputs = []
    for key, value in exact.items():
        error = (rounded[key].double() - value).abs().nan_to_num().max().item()
        largest = value.abs().nan_to_num(posinf=0).max().item()
        outputs.append(save(folder, "out", key, value) | {"max_abs": largest, "torch_f32_max_abs_err": error})
    description = {
        "name": name, "op": op, "attributes": attributes,
        "inputs": [save(folder, "in", k, x) for k, x in inputs.items()], "outputs": outputs, "features": [],
        "source": {"made_by": "make_cases.py", "torch": torch.__version__},
    }
    (folder / "case.json").write_text(json.dumps(description) + "\n")


def attention(scale, causal="none"):
    def function(Q, K, V, attn_mask_bool=None, attn_bias=None):
        scores = scale * Q @ K.transpose(-1, -2)
        n_q, n_k = scores.shape[-2:]
        if attn_bias is not None:
            scores = scores + attn_bias
        masked = torch.zeros(n_q, n_k, dtype=torch.bool)
        if causal != "none":
            masked = torch.ones(n_q, n_k).triu(1 + (n_k - n_q if causal == "bottom-right" else 0)).bool()
        if attn_mask_bool is not None:
            masked = masked | attn_mask_bool
        weights = torch.softmax(scores.masked_fill(masked, -math.inf), -1)
        return {"O": weights @ V, "A": weights}
    return function


def attention_inputs(n_q, n_k, d_k, d_v, **more):
    lead = (1, 2)
    return {"Q": normals(*lead, n_q, d_k), "K": normals(*lead, n_k, d_k), "V": normals(*lead, n_k, d_v),
            **more, "grad_O": normals(*lead, n_q, d_v)}


def attention_cases():
    for name, scale in [("rsqrt", 1 / math.sqrt(12)), ("none", 1.0)]:
        case(f"sdpa_{name}", "SDPA", attention(scale), attention_inputs(4, 6, 12, 5), scale=scale, causal="none")
    for causal in ["top-left", "bottom-right"]:
        case(f"sdpa_{causal}", "SDPA", attention(0.5, causal), attention_inputs(4, 6, 4, 8), scale=0.5, causal=causal)
    mask = torch.rand(4, 6) < 0.4
    mask[:, 2] = False
    case("sdpa_mask", "SDPA", attention(0.5), attention_inputs(4, 6, 4, 8, attn_mask_bool=mask),
         scale=0.5, causal="none", mask_true_means="masked out")
    case("sdpa_bias", "SDPA", attention(0.5), attention_inputs(4, 6, 4, 8, attn_bias=normals(2, 4, 6)),
         scale=0.5, causal="none")


def row_cases():
    for scale in [1, 50]:
        inputs = {"x": normals(3, 9, scale=scale), "grad_y": normals(3, 9)}
        case(f"softmax_{scale}", "Softmax", lambda x: {"y": torch.softmax(x, -1)}, inputs, axis=-1)
        case(f"log_softmax_{scale}", "LogSoftmax", lambda x: {"y": torch.log_softmax(x, -1)}, inputs, axis=-1)
    inputs = {"x": normals(3, 10) + 3, "weight": normals(10), "bias": normals(10), "grad_y": normals(3, 10)}
    case("layer_norm", "LayerNorm", lambda x, weight, bias: {"y": F.layer_norm(x, [10], weight, bias, 1e-5)}, inputs,
         eps=1e-5, axis=-1, affine=True)
    del inputs["bias"]
    case("rms_norm", "RMSNorm", lambda x, weight: {"y": x * (x * x).mean(-1, keepdim=True).add(1e-5).rsqrt() * weight},
         inputs, eps=1e-5)
    functions = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu,
                 "tanh": torch.tanh}
    for kind, f in functions.items():
        inputs = {"x": normals(33, scale=3), "grad_y": normals(33)}
        case(f"activation_{kind}", "Activation", lambda x, f=f: {"y": f(x)}, inputs,
             kind="gelu_erf" if kind == "gelu" else kind)


def loss_cases():
    target = torch.tensor([3, 0, 6, 2, 3])
    ignored = torch.tensor([3, -100, 6, 2, -100])
    for name, classes, options in [("mean", target, {"reduction": "mean"}), ("sum", target, {"reduction": "sum"}),
                                   ("ignore", ignored, {"reduction": "mean", "ignore_index": -100}),
                                   ("smooth", target, {"reduction": "mean", "label_smoothing": 0.1})]:
        case(f"cross_entropy_{name}", "CrossEntropy",
             lambda logits, target, o=options: {"loss": F.cross_entropy(logits, target, **o)},
             {"logits": normals(5, 7, scale=2), "target": classes, "grad_loss": normals(1)}, **options)


def other_cases():
    inputs = {"ids": torch.tensor([[1, 4, 1], [0, 4, 4]]), "W": normals(5, 6), "grad_y": normals(2, 3, 6)}
    case("embedding", "Embedding", lambda ids, W: {"y": F.embedding(ids, W)}, inputs)
    inputs = {"x": normals(2, 3, 7), "W": normals(5, 7), "b": normals(5), "grad_y": normals(2, 3, 5)}
    case("linear", "Linear", lambda x, W, b: {"y": F.linear(x, W, b)}, inputs)

    def additive(q, k, values, Wq, Wk, v, b):
        scores = torch.tanh((q @ Wq.T).unsqueeze(-2) + (k @ Wk.T).unsqueeze(-3) + b) @ v
        weights = torch.softmax(scores, -1)
        return {"context": weights @ values, "scores": scores, "A": weights}
    case("additive", "AdditiveAttention", additive,
         {"q": normals(2, 3, 5), "k": normals(2, 4, 6), "values": normals(2, 4, 3), "Wq": normals(7, 5),
          "Wk": normals(7, 6), "v": normals(7), "b": normals(7), "grad_context": normals(2, 3, 3)})

    def cosine(Q, K, V, tau):
        scores = tau * F.normalize(Q, dim=-1) @ F.normalize(K, dim=-1).transpose(-1, -2)
        weights = torch.softmax(scores, -1)
        return {"O": weights @ V, "A": weights, "scores": scores}
    case("cosine", "CosineAttention", cosine,
         {"Q": normals(2, 3, 5), "K": normals(2, 4, 5), "V": normals(2, 4, 3), "tau": torch.tensor([8.0]),
          "grad_O": normals(2, 3, 3)}, eps=1e-12)


torch.manual_seed(1)
torch.set_num_threads(1)
shutil.rmtree(OUT, ignore_errors=True)
attention_cases()
row_cases()
loss_cases()
other_cases()
print(len(list(OUT.iterdir())), "cases")
