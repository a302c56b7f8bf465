// Values and gradients of PyTorch, in float64. Some are part of the project (reference/torch_cases.h); all
// others are read from ../shared/reference/torch where that folder exists.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "kernels/softmax.h"
#include "reference/attention_case.h"
#include "reference/compare.h"
#include "reference/torch_cases.h"
#include "tensor/read_numbers.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

// The reference's own bound is 8 times PyTorch's float32 error plus 2e-6 of the largest value.
double bound(const std::vector<double>& exact) { return 1e-6 * max_abs(exact); }

std::string folder() {
  const std::string here = __FILE__;
  const size_t tests = here.rfind("tests/kernels/");
  return tests == std::string::npos ? "" : here.substr(0, tests) + "../shared/reference/torch/";
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

NumberArray tensor(const std::string& path) {
  const std::string bytes = read(path);
  return read_npy(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), "test", path);
}

std::vector<double> doubles(const std::string& path) {  // of a version 1.0 file of f8, NaN allowed
  const std::string bytes = read(path);
  REQUIRE(bytes.find("'<f8'") != std::string::npos);
  const size_t start = 10u + static_cast<uint8_t>(bytes[8]) + 256u * static_cast<uint8_t>(bytes[9]);
  std::vector<double> values((bytes.size() - start) / sizeof(double));
  std::memcpy(values.data(), bytes.data() + start, values.size() * sizeof(double));
  return values;
}

double number_after(const std::string& text, const std::string& key, size_t from = 0) {
  const size_t at = text.find('"' + key + '"', from);
  return at == std::string::npos ? 0 : std::stod(text.substr(text.find(':', at) + 1));
}

// Within the bound that case.json gives. Where PyTorch 1.13 has NaN (fully masked rows), ours is finite.
void check_output(const std::vector<float>& got, const std::string& path, const std::string& name) {
  CAPTURE(path);
  CAPTURE(name);
  const std::string json = read(path + "/case.json");
  const size_t at = json.find("\"name\": \"" + name + '"');
  const double allowed =
      8 * number_after(json, "torch_f32_max_abs_err", at) + 2e-6 * number_after(json, "max_abs", at);
  const std::vector<double> exact = doubles(path + "/out_" + name + ".npy");
  REQUIRE(got.size() == exact.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(exact[i])) {
      CHECK(std::isfinite(got[i]));
    } else {
      CHECK(error_of(got[i], exact[i]).absolute <= allowed);
    }
  }
}

// A mask or bias whose leading dimensions are missing or 1, repeated to [batch, n_q, n_k].
template <class T>
std::vector<T> repeated(const std::vector<float>& values, int64_t pairs) {
  std::vector<T> all;
  while (static_cast<int64_t>(all.size()) < pairs) all.insert(all.end(), values.begin(), values.end());
  return all;
}

AttentionCase load_attention(const std::string& path) {
  const NumberArray q = tensor(path + "/in_Q.npy"), k = tensor(path + "/in_K.npy"),
                    v = tensor(path + "/in_V.npy");
  const int64_t batch = q.shape[0] * q.shape[1], n_q = q.shape[2], n_k = k.shape[2];
  AttentionCase c(n_q, n_k, q.shape[3], v.shape[3], batch);
  c.q = q.values;
  c.k = k.values;
  c.v = v.values;
  c.dout = tensor(path + "/in_grad_O.npy").values;
  const std::string json = read(path + "/case.json");
  c.scale = static_cast<float>(number_after(json, "scale"));
  if (json.find("\"top-left\"") != std::string::npos) c.causal = Causal::kTopLeft;
  if (json.find("\"bottom-right\"") != std::string::npos) c.causal = Causal::kBottomRight;
  if (std::ifstream(path + "/in_attn_mask_bool.npy")) {
    c.mask = repeated<uint8_t>(tensor(path + "/in_attn_mask_bool.npy").values, batch * n_q * n_k);
  }
  if (std::ifstream(path + "/in_key_padding_mask.npy")) {  // [batch, n_k], for all heads and queries
    const std::vector<float> padding = tensor(path + "/in_key_padding_mask.npy").values;
    for (int64_t row = 0; row < batch * n_q; ++row) {
      const auto start = padding.begin() + row / (q.shape[1] * n_q) * n_k;
      c.mask.insert(c.mask.end(), start, start + n_k);
    }
  }
  for (uint8_t& value : c.mask) value = !value;  // there, true means masked out
  if (std::ifstream(path + "/in_attn_bias.npy")) {
    const std::string bytes = read(path + "/in_attn_bias.npy");
    const size_t start = 10u + static_cast<uint8_t>(bytes[8]) + 256u * static_cast<uint8_t>(bytes[9]);
    std::vector<float> bias((bytes.size() - start) / sizeof(float));  // may hold -inf, which read_npy refuses
    std::memcpy(bias.data(), bytes.data() + start, bias.size() * sizeof(float));
    c.bias = repeated<float>(bias, batch * n_q * n_k);
  }
  return c;
}

}  // namespace

TEST_CASE("softmax and its gradient agree with PyTorch") {
  for (const TorchSoftmax& c : kTorchSoftmax) {
    CAPTURE(c.name);
    const Shape shape{c.rows, c.n};
    std::vector<float> p(c.x.size()), dx(c.x.size());
    softmax_forward({c.x.data(), shape}, {p.data(), shape});
    softmax_backward({p.data(), shape}, {c.dp.data(), shape}, {dx.data(), shape});
    CHECK(compare(p, c.p).ulp <= 3);
    for (size_t i = 0; i < dx.size(); ++i) {
      CHECK(std::isnan(dx[i]) == std::isnan(c.dx[i]));
      if (!std::isnan(dx[i])) CHECK(error_of(dx[i], c.dx[i]).absolute <= 3e-7);
    }
  }
}

TEST_CASE("attention and its gradients agree with PyTorch") {
  for (const TorchAttention& t : kTorchAttention) {
    CAPTURE(t.name);
    AttentionCase c(t.n_q, t.n_k, t.d_k, t.d_v, t.batch);
    c.q = t.q;
    c.k = t.k;
    c.v = t.v;
    c.dout = t.dout;
    c.scale = t.scale;
    c.run();
    CHECK(compare(c.out, t.out).absolute <= bound(t.out));
    CHECK(compare(c.weights, t.weights).absolute <= bound(t.weights));
    CHECK(compare(c.dq, t.dq).absolute <= bound(t.dq));
    CHECK(compare(c.dk, t.dk).absolute <= bound(t.dk));
    CHECK(compare(c.dv, t.dv).absolute <= bound(t.dv));
  }
}

TEST_CASE("softmax agrees with every case of ../shared (skipped where that is absent)") {
  for (const char* name : {"1x128", "2x3x16", "4x8", "5x2", "8x64", "large_pm1e4", "large_tiny"}) {
    const std::string path = folder() + "softmax_" + name;
    if (!std::ifstream(path + "/case.json")) continue;
    const NumberArray x = tensor(path + "/in_x.npy"), dp = tensor(path + "/in_grad_y.npy");
    const Shape shape(x.shape.data(), static_cast<int>(x.shape.size()));
    std::vector<float> p(x.values.size()), dx(x.values.size());
    softmax_forward({x.values.data(), shape}, {p.data(), shape});
    softmax_backward({p.data(), shape}, {dp.values.data(), shape}, {dx.data(), shape});
    check_output(p, path, "y");
    check_output(dx, path, "d_x");
  }
}

TEST_CASE("attention agrees with every case of ../shared (skipped where that is absent)") {
  for (const char* name : {"additive_bias",
                           "all_masked_row",
                           "all_masked_row_additive",
                           "article_d512_custom",
                           "article_d512_none",
                           "article_d512_rsqrt",
                           "attn_mask_bool",
                           "base_custom",
                           "causal_bottom-right_q8k11",
                           "causal_top-left_q10k8",
                           "causal_top-left_q8k11",
                           "causal_top-left_q8k8",
                           "cross_custom",
                           "cross_none",
                           "cross_rsqrt",
                           "d128_none",
                           "d128_rsqrt",
                           "d64_custom",
                           "d64_none",
                           "d64_rsqrt",
                           "dv_custom",
                           "dv_none",
                           "heads_custom",
                           "heads_none",
                           "heads_rsqrt",
                           "key_padding",
                           "key_padding_causal",
                           "large_logits1e4",
                           "large_logits50"}) {
    const std::string path = folder() + "sdpa_" + name;
    if (!std::ifstream(path + "/case.json")) continue;
    const AttentionCase c = load_attention(path).run();
    check_output(c.out, path, "O");
    check_output(c.weights, path, "A");
    check_output(c.dq, path, "d_Q");
    check_output(c.dk, path, "d_K");
    check_output(c.dv, path, "d_V");
    if (c.bias.empty()) continue;
    std::vector<float> dbias(doubles(path + "/out_d_attn_bias.npy").size(), 0.0f);  // summed over the batch
    for (size_t i = 0; i < c.dscores.size(); ++i) dbias[i % dbias.size()] += c.dscores[i];
    check_output(dbias, path, "d_attn_bias");
  }
}
