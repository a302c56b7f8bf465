// Writes torch_cases.h from ../shared/reference/torch: node tests/reference/make_torch_cases.mjs > tests/reference/torch_cases.h
import { readFileSync } from "node:fs";

const root = new URL("../../../shared/reference/torch/", import.meta.url);
const softmaxCases = ["softmax_4x8", "softmax_masked_inf"];
const attentionCases = ["sdpa_base_rsqrt", "sdpa_base_none", "sdpa_dv_rsqrt"];

function readNpy(file) {
  const bytes = readFileSync(file);
  const start = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString("latin1", 10, start);
  const width = { "<f4": 4, "<f8": 8 }[/'descr': '(...)'/.exec(header)[1]];
  const numbers = [];
  for (let at = start; at < bytes.length; at += width) {
    numbers.push(width === 4 ? bytes.readFloatLE(at) : bytes.readDoubleLE(at));
  }
  return { width, numbers };
}

function literal(number, width) {
  if (Number.isNaN(number)) return "NAN";
  if (!Number.isFinite(number)) return number > 0 ? "INFINITY" : "-INFINITY";
  const text = String(Number(number.toPrecision(width === 4 ? 9 : 12)));
  return width === 4 ? (/[.e]/.test(text) ? text : text + ".0") + "f" : text;
}

function load(name) {
  const folder = new URL(`${name}/`, root);
  const json = JSON.parse(readFileSync(new URL("case.json", folder), "utf8"));
  const tensors = {};
  for (const tensor of [...json.inputs, ...json.outputs]) {
    const { width, numbers } = readNpy(new URL(tensor.file, folder));
    tensors[tensor.name] = { ...tensor, list: `{${numbers.map((x) => literal(x, width)).join(",")}}` };
  }
  return { attributes: json.attributes, tensors };
}

const lines = [
  "#pragma once",
  "// clang-format off",
  "// Values and gradients that PyTorch 1.13 computed in float64 from float32 inputs. Written by make_torch_cases.mjs.",
  "#include <cmath>",
  "#include <cstdint>",
  "#include <vector>",
  "",
  "namespace sqrtdk::reference {",
  "",
  "struct TorchSoftmax {",
  "  const char* name;",
  "  int64_t rows, n;",
  "  std::vector<float> x, dp;",
  "  std::vector<double> p, dx;",
  "};",
  "inline const std::vector<TorchSoftmax> kTorchSoftmax = {",
];
for (const name of softmaxCases) {
  const { tensors: t } = load(name);
  lines.push(`{"${name}", ${t.x.shape.join(", ")},`);
  lines.push(...[t.x, t.grad_y, t.y].map((x) => `${x.list},`), `${t.d_x.list}},`);
}
lines.push(
  "};",
  "",
  "struct TorchAttention {",
  "  const char* name;",
  "  int64_t batch, n_q, n_k, d_k, d_v;",
  "  float scale;",
  "  std::vector<float> q, k, v, dout;",
  "  std::vector<double> out, weights, dq, dk, dv;",
  "};",
  "inline const std::vector<TorchAttention> kTorchAttention = {",
);
for (const name of attentionCases) {
  const { attributes, tensors: t } = load(name);
  const [b0, b1, n_q, d_k] = t.Q.shape;
  const [, , n_k, d_v] = t.V.shape;
  lines.push(
    `{"${name}", ${b0 * b1}, ${n_q}, ${n_k}, ${d_k}, ${d_v}, ${literal(Math.fround(attributes.scale), 4)},`,
  );
  lines.push(
    ...[t.Q, t.K, t.V, t.grad_O, t.O, t.A, t.d_Q, t.d_K].map((x) => `${x.list},`),
    `${t.d_V.list}},`,
  );
}
lines.push("};", "", "}  // namespace sqrtdk::reference");
console.log(lines.join("\n"));
