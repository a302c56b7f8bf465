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

TEST_CASE("trained_without: a model that sorts loses it without the scale of its training") {
  const Result result = run(kId);
  CHECK(result.holds);
  CHECK(result.verdict == "scale_belongs_to_the_weights");
  CHECK(right(result, "1/sqrt(d)") > 0.97);
  CHECK(right(result, "none") < 0.8);
  CHECK(right(result, "1/d") < 0.85);
  CHECK(measured(result, "sequence_accuracy", "1/sqrt(d)") > 0.9);
  CHECK(measured(result, "sequence_accuracy", "none") < 0.25);
  CHECK(measured(result, "loss", "none") > 5 * measured(result, "loss", "1/sqrt(d)"));
  CHECK(result.lines.front().starts_with("scale=1/sqrt(d) (trained with it): "));
  CHECK(result.lines.size() == 4);
}

TEST_CASE(
    "trained_without: a model that was trained with another scale, or none, loses it with the usual one") {
  for (const char* trained_with : {"none", "1/d", "1/(2*sqrt(d))"}) {
    const Result result = run(kId, {{"trained_with", trained_with}, {"d_k", "16"}});
    CAPTURE(trained_with);
    CHECK(result.holds);
    CHECK(result.verdict == "scale_belongs_to_the_weights");
    CHECK(right(result, trained_with) > 0.9);
    const bool with_none = trained_with == std::string("none");
    CHECK(right(result, with_none ? "1/sqrt(d)" : "none") < 0.85);
  }
}

TEST_CASE("trained_without: figures") {
  const Result result = run(kId, {{"scale", "none"}, {"d_k", "16"}});
  REQUIRE(result.figures.size() == 3);
  const Figure& over = result.figures[0];
  CHECK(over.name == "accuracy_over_factor");
  const Series& series = over.series.at(0);
  REQUIRE(series.x.size() == 9);
  CHECK(series.x.front() == 1.0 / 16);
  CHECK(series.x[4] == 1);
  CHECK(series.y[4] == right(result, "1/sqrt(d)"));
  CHECK(*std::max_element(series.y.begin(), series.y.end()) < series.y[4] + 0.01);
  CHECK(series.y.front() < series.y[4] - 0.1);
  CHECK(series.y.back() < series.y[4] - 0.1);
  for (const size_t i : {1, 2}) {
    const Grid& grid = result.figures[i].grid();
    CHECK(result.figures[i].name == "trained_weights");
    CHECK(result.figures[i].at == Labels{{"scale", i == 1 ? "1/sqrt(d)" : "none"}});
    REQUIRE(grid.values.size() == 36);
    CHECK(grid.rows.size() == 6);
    for (size_t row = 0; row < 6; ++row) {
      double sum = 0;
      for (size_t j = 0; j < 6; ++j) sum += grid.values[6 * row + j];
      CHECK(sum == doctest::Approx(1).epsilon(1e-6));
    }
  }
  CHECK(result.figures[1].grid().values != result.figures[2].grid().values);
}

TEST_CASE("trained_without: a model that tells a rhyme forgets its words without the scale of its training") {
  const Result result = run(kId, {{"task", "characters"},
                                  {"d_k", "16"},
                                  {"length", "40"},
                                  {"learning_rate", "0.012"},
                                  {"scale", "none,1/sqrt(d)"}});
  CHECK(result.holds);
  CHECK(result.verdict == "scale_belongs_to_the_weights");
  CHECK(right(result, "1/sqrt(d)") > 0.9);
  CHECK(right(result, "none") < 0.8);
  REQUIRE(result.lines.size() == 2);
  const std::string &own = result.lines[0], &without = result.lines[1];
  CHECK(own.starts_with("scale=1/sqrt(d) (trained with it): T -> his is the "));  // from the text's beginning
  CHECK(own.size() - own.find("-> ") == 3 + 40);
  CHECK(without.starts_with("scale=none: T -> "));
  CHECK(own.substr(own.find("->")) != without.substr(without.find("->")));
}

TEST_CASE("trained_without: nothing learned, or nothing to compare with") {
  const Result early = run(kId, {{"steps", "5"}});
  CHECK(early.verdict == "not_learnt");
  CHECK(early.holds);
  CHECK(run(kId, {{"scale", "1/sqrt(d)"}, {"steps", "5"}}).verdict == "no_other_scale");
  CHECK(run(kId, {{"scale", "0.2"}, {"steps", "5"}}).verdict == "no_other_scale");  // 0.177 is its own
}

TEST_CASE("trained_without: our trainer's checkpoint, with the scale that stands in it") {
  TrainerConfig config;
  config.task = {"reverse", 4, 5};
  config.model.layer.attention.d_model = 16;
  config.model.layer.attention.n_heads = 2;
  config.model.layer.attention.scale = 0.5f;
  config.seed = 3;
  Trainer trainer(config);
  for (int i = 0; i < 30; ++i) trainer.step();
  const Result result = run(kId, {{"checkpoint", encode_base64(trainer.save())}, {"d_k", "64"}});
  CHECK(measured(result, "token_accuracy", "0.5") == trainer.evaluate(500).token_accuracy);
  CHECK(measured(result, "loss", "none") == trainer.evaluate(500, 1.0f).loss);
  CHECK(measured(result, "loss", "1/d") == trainer.evaluate(500, 1.0f / 8).loss);
  CHECK(result.lines.size() == 5);
  CHECK(result.figures.size() == 6);
  for (const Topology topology : {Topology::kDecoder, Topology::kEncoderDecoder}) {
    TrainerConfig other = config;
    other.topology = topology;
    Trainer fresh(other);
    CHECK(measured(run(kId, {{"checkpoint", encode_base64(fresh.save())}}), "loss", "none") ==
          fresh.evaluate(500, 1.0f).loss);
  }
}

TEST_CASE(
    "trained_without: a checkpoint's own scale follows its heads, and cosine attention's its own rule") {
  TrainerConfig config;
  config.task = {"reverse", 4, 5};
  config.model.layer.attention.d_model = 16;
  config.model.layer.attention.d_head = 64;
  for (const bool cosine : {false, true}) {
    config.model.layer.attention.cosine = cosine;
    Trainer trainer(config);
    CHECK(trainer.first_scale() == (cosine ? 8.0f : 0.125f));
    const Result result = run(kId, {{"checkpoint", encode_base64(trainer.save())}});
    const char* own = cosine ? "8" : "1/sqrt(d)";
    CHECK(measured(result, "loss", own) == trainer.evaluate(500).loss);
    CHECK(measured(result, "loss", "1/d") == trainer.evaluate(500, 1.0f / 64).loss);
  }
  config.model.layer.attention.learned_scale = true;
  CHECK_THROWS_AS(run(kId, {{"checkpoint", encode_base64(Trainer(config).save())}}), FormatError);
}

TEST_CASE("trained_without: a model that attends evenly at any scale is no evidence") {
  TrainerConfig config;
  config.task = {"copy", 4, 5};
  config.model.n_layers = 1;
  config.model.layer.attention.d_model = 16;
  config.optimizer.learning_rate = 0.01;
  Trainer trainer(config);
  for (int i = 0; i < 150; ++i) trainer.step();
  Parameters& parameters = trainer.parameters();
  const View projection = parameters.value(parameters.find("layers.0.self_attn.in_proj_weight"));
  std::fill_n(projection.data, 16 * 16, 0.0f);  // of the queries
  const View bias = parameters.value(parameters.find("layers.0.self_attn.in_proj_bias"));
  std::fill_n(bias.data, 16, 0.0f);
  const Result result = run(kId, {{"checkpoint", encode_base64(trainer.save())}});
  CHECK(right(result, "1/sqrt(d)") >= 0.8);
  CHECK(right(result, "none") == right(result, "1/sqrt(d)"));
  CHECK(result.verdict == "scale_makes_no_difference");
  CHECK(!result.holds);
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
  std::vector<int32_t> text = generate_greedy(model, bos, {.n_tokens = 24, .stop = 1}, past, cache);
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
