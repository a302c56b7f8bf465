// The reader's own model, read from a file.
#include <algorithm>
#include <cstring>

#include "base/base64.h"
#include "base/errors.h"
#include "experiments/run.h"
#include "models/generate.h"
#include "models/llama2c_model.h"
#include "models/nano_gpt_model.h"
#include "reference/thrown_by.h"
#include "tensor/random.h"
#include "training/trainer.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "trained_without";
constexpr const char* kScales[] = {"none", "1/sqrt(d)", "1/(2*sqrt(d))", "1/d"};
using Bytes = std::vector<uint8_t>;

double measured(const Result& result, const char* name, const char* scale) {
  return scalar(result, name, {{"scale", scale}}).value;
}
double right(const Result& result, const char* scale) { return measured(result, "token_accuracy", scale); }

template <class T>
void append(Bytes& bytes, const T* values, size_t n) {
  const size_t at = bytes.size();
  bytes.resize(at + n * sizeof(T));
  std::memcpy(bytes.data() + at, values, n * sizeof(T));
}

std::vector<float> drawn(int64_t n, float size, uint64_t stream = 0) {
  std::vector<float> values(static_cast<size_t>(n));
  philox_normal(5, stream, 0, values.data(), n);
  for (float& x : values) x *= size;
  return values;
}

TEST_CASE("trained_without: llama2.c's form, against the model asked directly") {
  const int32_t header[] = {16, 20, 2, 4, 2, 260, 24};
  Bytes file;
  append(file, header, 7);
  const int64_t floats = 260 * 16 + 2 * (2 * 16 + 2 * 16 * 16 + 2 * 16 * 8 + 3 * 16 * 20) + 16 + 24 * 4;
  append(file, drawn(floats, 0.5f).data(), static_cast<size_t>(floats));
  Bytes tokenizer;
  const int32_t longest = 3;
  append(tokenizer, &longest, 1);
  for (int32_t i = 0; i < 260; ++i) {
    const float score = static_cast<float>(-i);
    const int32_t length = 1;
    const char piece = static_cast<char>('a' + i % 26);
    append(tokenizer, &score, 1), append(tokenizer, &length, 1), append(tokenizer, &piece, 1);
  }
  const Result result =
      run(kId, {{"checkpoint", encode_base64(file)}, {"tokenizer", encode_base64(tokenizer)}});

  const Llama2cFile contents = read_llama2c(file, kId, "checkpoint");
  Parameters parameters;
  const LanguageModel model(parameters, "", llama2c_config(contents.config));
  parameters.allocate();
  load_llama2c(contents, parameters);
  Cache cache;
  KeyValueCache past = model.make_cache(1);
  const std::vector<int32_t> bos = {1};
  std::vector<int32_t> text = generate(model, bos, {.n_tokens = 24, .stop = 1}, past, cache);
  text.insert(text.begin(), 1);
  for (const char* scale : kScales) {
    AttentionOptions options;
    options.scale = parse_scale(kId, scale).at(4);
    CHECK(measured(result, "negative_log_likelihood", scale) ==
          negative_log_likelihood(model, text, options, cache).mean);
  }
  CHECK(measured(result, "greedy_agreement", "1/sqrt(d)") == 1);
  CHECK(measured(result, "equal_tokens", "1/sqrt(d)") == static_cast<double>(text.size() - 1));
  CHECK(measured(result, "greedy_agreement", "none") < 1);
  CHECK(result.lines.at(0).size() > 40);
}

TEST_CASE("trained_without: a nano-GPT sorts every question, against the model asked directly") {
  const NanoGptConfig config{.n_layers = 1, .n_heads = 2, .d_model = 8, .vocab = 3, .context = 5};
  std::string json =
      R"({"config":{"model_type":"gpt-nano","n_layer":1,"n_head":2,"n_embd":8,"vocab_size":3,"block_size":5})";
  const auto add = [&](const std::string& name, const std::vector<int64_t>& shape, int64_t size) {
    Bytes bytes;
    const float std = name.ends_with("bias") ? 0.1f : 1.0f;
    append(bytes, drawn(size, std, json.size()).data(), static_cast<size_t>(size));
    std::string dims;
    for (const int64_t n : shape) dims.append(dims.empty() ? "" : ",").append(std::to_string(n));
    json += ",\"transformer." + name + R"(":{"shape":[)" + dims + R"(],"dtype":"torch.float32","data":")" +
            encode_base64(bytes) + "\"}";
  };
  const auto both = [&](const std::string& name, int64_t n_out, int64_t n_in) {
    if (n_in > 0) add(name + ".weight", {n_out, n_in}, n_out * n_in);
    if (n_in == 0) add(name + ".weight", {n_out}, n_out);
    add(name + ".bias", {n_out}, n_out);
  };
  add("wte.weight", {3, 8}, 24), add("wpe.weight", {5, 8}, 40);
  both("h.0.ln_1", 8, 0), both("h.0.attn.c_attn", 24, 8), both("h.0.attn.c_proj", 8, 8);
  both("h.0.ln_2", 8, 0), both("h.0.mlp.c_fc", 32, 8), both("h.0.mlp.c_proj", 8, 32), both("ln_f", 8, 0);
  add("lm_head.weight", {3, 8}, 24);
  json.replace(json.find("transformer.lm_head"), 19, "lm_head");
  json += "}";
  const Bytes file(json.begin(), json.end());
  const Result result = run(kId, {{"checkpoint", encode_base64(file)}});

  const NanoGptFile contents = read_nano_gpt(file, kId, "checkpoint");
  REQUIRE(contents.config.context == config.context);
  Parameters parameters;
  const LanguageModel model(parameters, "", nano_gpt_config(contents.config));
  parameters.allocate();
  load_nano_gpt(contents, parameters);
  Cache cache;
  CHECK(right(result, "none") != right(result, "1/d"));
  for (const char* scale : kScales) {
    AttentionOptions options;
    options.scale = parse_scale(kId, scale).at(4);
    int tokens = 0, sequences = 0;
    for (int question = 0; question < 27; ++question) {
      std::vector<int32_t> ids = {question % 3, question / 3 % 3, question / 9};
      std::vector<int32_t> sorted = ids;
      std::sort(sorted.begin(), sorted.end());
      int equal = 0;
      for (int i = 0; i < 3; ++i) {  // the whole sequence each time
        const auto n = static_cast<int64_t>(ids.size());
        const ConstView logits = model.forward({ids.data(), {1, n}}, options, false, cache, {});
        const float* last = logits.data + (n - 1) * 3;
        const auto token = static_cast<int32_t>(std::max_element(last, last + 3) - last);
        equal += token == sorted[static_cast<size_t>(i)];
        ids.push_back(token);
      }
      tokens += equal;
      sequences += equal == 3;
    }
    CHECK(right(result, scale) == tokens / 81.0);
    CHECK(measured(result, "n_sorted", scale) == sequences);
  }
}

TEST_CASE("trained_without: files that are none of these are refused") {
  const auto refused = [](const char* argument, const Text& params) {
    const FormatError error = thrown_by<FormatError>([&] { run(kId, params); });
    CHECK(error.argument == argument);
    CHECK(error.op == kId);
  };
  TrainerConfig config;
  config.task = {"sort", 3, 3};
  Trainer trainer(config);
  Bytes cut = trainer.save();
  cut.resize(cut.size() / 2);
  refused("checkpoint", {{"checkpoint", encode_base64(cut)}});
  const Bytes text = {'n', 'o', ' ', 'm', 'o', 'd', 'e', 'l'};
  refused("checkpoint", {{"checkpoint", encode_base64(text)}});
  const Bytes json = {'{', '}'};
  refused("checkpoint", {{"checkpoint", encode_base64(json)}});
  refused("checkpoint", {{"checkpoint", "?"}});
  const int32_t header[] = {4, 4, 1, 1, 1, 300, 4};
  Bytes llama;
  append(llama, header, 7);
  const int64_t floats = 300 * 4 + 2 * 4 + 4 * 16 + 3 * 16 + 4 + 16;
  append(llama, drawn(floats, 1).data(), static_cast<size_t>(floats));
  refused("tokenizer", {{"checkpoint", encode_base64(llama)}, {"tokenizer", encode_base64(text)}});
}

}  // namespace
}  // namespace sqrtdk::test
