#include "models/llama2c_model.h"

#include <cmath>

#include "base/errors.h"
#include "models/file_model.h"
#include "reference/safetensors_file.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

using Bytes = std::vector<uint8_t>;

// Drawn weights, norms among them; rotary tables that nobody reads.
Bytes file(const std::vector<int32_t>& header) {
  const int64_t d = header[0], d_ff = header[1], n_layers = header[2], d_head = d / header[3],
                d_kv = header[4] * d_head, vocab = std::abs(header[5]), context = header[6];
  const int64_t floats = vocab * d + n_layers * (2 * d + 2 * d * d + 2 * d * d_kv + 3 * d * d_ff) + d +
                         context * d_head + (header[5] < 0 ? vocab * d : 0);
  return file_of(bytes_of(header) + bytes_of(Draws(7).normals(floats, 0.5f)));
}

Numbers silu(const Numbers& x, const Numbers& gate) {
  Numbers y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = x[i] / (Dual(1) + exp(Dual(0) - x[i])) * gate[i];
  return y;
}

void rotate(Numbers& x, size_t width, size_t d) {
  for (size_t at = 0; at < x.size(); at += 2) {
    const size_t position = at / width;
    const double angle = static_cast<double>(position) *
                         std::pow(10000.0, -static_cast<double>(at % d) / static_cast<double>(d));
    const Dual a = x[at], b = x[at + 1], cos = std::cos(angle), sin = std::sin(angle);
    x[at] = a * cos - b * sin, x[at + 1] = a * sin + b * cos;
  }
}

Numbers exact(const Llama2cFile& file, const Tokens& tokens, double scale) {
  const Llama2cConfig& c = file.config;
  const auto d = static_cast<size_t>(c.d_model), d_ff = static_cast<size_t>(c.d_ff), n = tokens.ids.size();
  const auto heads = static_cast<size_t>(c.n_heads), kv_heads = static_cast<size_t>(c.n_kv_heads);
  const size_t d_head = d / heads, d_kv = kv_heads * d_head;
  const FileTensors weights(file.tensors);
  const auto rms = [&](const Numbers& x, const std::string& name) {
    return norm(x, weights(name), {}, NormKind::kRms, 1e-5);
  };
  const Numbers& table = weights("tok_embeddings.weight");
  Numbers x;
  for (const int32_t id : tokens.ids) {
    const auto row = table.begin() + id * c.d_model;
    x.insert(x.end(), row, row + c.d_model);
  }
  for (int64_t i = 0; i < c.n_layers; ++i) {
    const std::string name = "layers." + std::to_string(i) + ".";
    Numbers y = rms(x, name + "attention_norm.weight");
    Numbers q = linear(y, weights(name + "attention.wq.weight"), {}, d, d);
    Numbers k = linear(y, weights(name + "attention.wk.weight"), {}, d, d_kv);
    const Numbers v = linear(y, weights(name + "attention.wv.weight"), {}, d, d_kv);
    rotate(q, d, d_head), rotate(k, d_kv, d_head);
    const Numbers attended = causal_attention(q, k, v, n, heads, kv_heads, scale);
    x = sum(x, linear(attended, weights(name + "attention.wo.weight"), {}, d, d));
    y = rms(x, name + "ffn_norm.weight");
    const Numbers hidden = silu(linear(y, weights(name + "feed_forward.w1.weight"), {}, d, d_ff),
                                linear(y, weights(name + "feed_forward.w3.weight"), {}, d, d_ff));
    x = sum(x, linear(hidden, weights(name + "feed_forward.w2.weight"), {}, d_ff, d));
  }
  return linear(rms(x, "norm.weight"), c.tied ? table : weights("output.weight"), {}, d,
                static_cast<size_t>(c.vocab));
}

}  // namespace

TEST_CASE("llama2c_model computes what the file's weights say: heads grouped or not, tied or not") {
  for (const int32_t kv_heads : {1, 2, 4}) {
    for (const int32_t vocab : {11, -11}) {
      CAPTURE(kv_heads);
      CAPTURE(vocab);
      const Bytes bytes = file({16, 12, 2, 4, kv_heads, vocab, 9});
      const Llama2cFile read = read_llama2c(bytes, "op", "file");
      Parameters parameters;
      LanguageModel model(parameters, "story", llama2c_config(read.config));
      parameters.allocate();
      load_llama2c(read, parameters, "story");
      check_file_model(model, 9,
                       [&](const Tokens& tokens, double scale) { return exact(read, tokens, scale); });
    }
  }
}

TEST_CASE("llama2c_model: parameters of another model are refused, and nothing is changed") {
  const Bytes bytes = file({16, 12, 2, 4, 2, 11, 9});
  const Llama2cFile read = read_llama2c(bytes, "op", "file");
  const auto refused = [&](const LanguageModelConfig& config, const char* name, const std::string& expected,
                           const std::string& got) {
    Parameters parameters;
    const LanguageModel model(parameters, "", config);
    parameters.allocate();
    const FormatError error = thrown_by<FormatError>([&] { load_llama2c(read, parameters, name); });
    CHECK(error.op == "load_llama2c");
    CHECK(error.expected == expected);
    CHECK(error.got == got);
    const auto values = parameters.values();
    CHECK(std::all_of(values.begin(), values.end(), [](float x) { return x == 0; }));
  };
  const LanguageModelConfig good = llama2c_config(read.config);
  LanguageModelConfig config = good;
  config.n_layers = 1;
  refused(config, "", "a tensor of the model", "another in tensor layers.1.attention_norm.weight");
  config = good, config.layer.d_ff = 13;
  refused(config, "", "(13, 16)", "(12, 16) in tensor layers.0.feed_forward.w1.weight");
  config = good, config.layer.attention.n_kv_heads = 4;
  refused(config, "", "a tensor of the model", "another in tensor layers.0.attention.wq.weight");
  config = good, config.head_bias = true;
  refused(config, "", "2955 parameters", "2944");
  refused(good, "other", "a tensor of the model", "another in tensor tok_embeddings.weight");
}
