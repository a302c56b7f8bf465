#include "models/nano_gpt_model.h"

#include <cmath>

#include "base/errors.h"
#include "models/file_model.h"
#include "reference/safetensors_file.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

// Tensors as read_nano_gpt gives them, with drawn values.
struct File {
  explicit File(const NanoGptConfig& config) {
    file.config = config;
    const int64_t d = config.d_model;
    add("transformer.wte.weight", {config.vocab, d}), add("transformer.wpe.weight", {config.context, d});
    for (int64_t i = 0; i < config.n_layers; ++i) {
      const std::string name = "transformer.h." + std::to_string(i) + ".";
      both(name + "ln_1", {d}), both(name + "attn.c_attn", {3 * d, d}), both(name + "attn.c_proj", {d, d});
      both(name + "ln_2", {d}), both(name + "mlp.c_fc", {4 * d, d}), both(name + "mlp.c_proj", {d, 4 * d});
    }
    both("transformer.ln_f", {d}), add("lm_head.weight", {config.vocab, d});
    for (size_t i = 0; i < contents.size(); ++i) file.tensors[i].bytes = contents[i];
  }
  NanoGptFile file;

 private:
  void both(const std::string& name, const Shape& shape) {
    add(name + ".weight", shape), add(name + ".bias", {shape[0]});
  }
  void add(const std::string& name, const Shape& shape) {
    contents.push_back(file_of(bytes_of(draws.normals(shape.size(), 0.5f))));
    file.tensors.push_back({name, shape, Encoding::kF32, {}});
  }
  Draws draws{9};
  std::vector<std::vector<uint8_t>> contents;
};

Dual gelu_tanh(const Dual& x) {
  const Dual cube = x * x * x;
  const Dual inner = (x + cube * Dual(0.044715)) * Dual(std::sqrt(2 / std::acos(-1.0)));
  return x * Dual(0.5) * (Dual(1) + tanh(inner));
}

Numbers columns(const Numbers& x, size_t width, size_t first, size_t count) {
  Numbers part;
  for (size_t at = first; at < x.size(); at += width) {
    part.insert(part.end(), x.begin() + static_cast<std::ptrdiff_t>(at),
                x.begin() + static_cast<std::ptrdiff_t>(at + count));
  }
  return part;
}

Numbers exact(const NanoGptFile& file, const Tokens& tokens, double scale) {
  const auto d = static_cast<size_t>(file.config.d_model), n = tokens.ids.size();
  const auto heads = static_cast<size_t>(file.config.n_heads);
  const FileTensors weights(file.tensors);
  const auto layer_norm = [&](const Numbers& x, const std::string& name) {
    return norm(x, weights(name + ".weight"), weights(name + ".bias"), NormKind::kLayer, 1e-5);
  };
  const auto dense = [&](const Numbers& x, const std::string& name, size_t n_in, size_t n_out) {
    return linear(x, weights(name + ".weight"), weights(name + ".bias"), n_in, n_out);
  };
  Numbers x;
  for (size_t i = 0; i < n * d; ++i) {
    x.push_back(weights("transformer.wte.weight")[static_cast<size_t>(tokens.ids[i / d]) * d + i % d] +
                weights("transformer.wpe.weight")[i]);
  }
  for (int64_t i = 0; i < file.config.n_layers; ++i) {
    const std::string name = "transformer.h." + std::to_string(i) + ".";
    const Numbers qkv = dense(layer_norm(x, name + "ln_1"), name + "attn.c_attn", d, 3 * d);
    const Numbers attended = causal_attention(columns(qkv, 3 * d, 0, d), columns(qkv, 3 * d, d, d),
                                              columns(qkv, 3 * d, 2 * d, d), n, heads, heads, scale);
    x = sum(x, dense(attended, name + "attn.c_proj", d, d));
    Numbers hidden = dense(layer_norm(x, name + "ln_2"), name + "mlp.c_fc", d, 4 * d);
    for (Dual& h : hidden) h = gelu_tanh(h);
    x = sum(x, dense(hidden, name + "mlp.c_proj", 4 * d, d));
  }
  return linear(layer_norm(x, "transformer.ln_f"), weights("lm_head.weight"), {}, d,
                static_cast<size_t>(file.config.vocab));
}

}  // namespace

TEST_CASE("nano_gpt_model computes what the file's weights say") {
  const File file({2, 3, 12, 5, 8});
  Parameters parameters;
  LanguageModel model(parameters, "", nano_gpt_config(file.file.config));
  parameters.allocate();
  load_nano_gpt(file.file, parameters);
  check_file_model(model, 8,
                   [&](const Tokens& tokens, double scale) { return exact(file.file, tokens, scale); });
}

TEST_CASE("nano_gpt_model: a tensor that is missing, malformed or of another model changes nothing") {
  const File file({2, 3, 12, 5, 8});
  const auto refused = [&](const NanoGptFile& given, const LanguageModelConfig& config) {
    Parameters parameters;
    const LanguageModel model(parameters, "", config);
    parameters.allocate();
    CHECK_THROWS_AS(load_nano_gpt(given, parameters), FormatError);
    const auto values = parameters.values();
    CHECK(std::all_of(values.begin(), values.end(), [](float x) { return x == 0; }));
  };
  const LanguageModelConfig good = nano_gpt_config(file.file.config);
  NanoGptFile given = file.file;
  given.tensors.pop_back();
  refused(given, good);
  given = file.file, given.tensors.back().bytes = given.tensors.back().bytes.first(4);
  refused(given, good);
  given = file.file, given.tensors.back().name = "lm_head.bias";
  refused(given, good);
  given = file.file, given.tensors[2].name = "transformer.h..ln_1.weight";
  refused(given, good);
  given = file.file, given.tensors[2].name = "transformer.h.x.ln_1.weight";
  refused(given, good);
  refused(file.file, nano_gpt_config({2, 3, 12, 6, 8}));
  refused(file.file, nano_gpt_config({3, 3, 12, 5, 8}));
}
