#include <emscripten/bind.h>

#include "base/decimal.h"
#include "base/errors.h"
#include "language_model_object.h"
#include "listing.h"
#include "models/generate.h"
#include "models/llama2c_model.h"
#include "models/nano_gpt_model.h"
#include "models/tokenizer.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

struct PastObject final : Object {
  static constexpr const char* kKind = "past";
  KeyValueCache past;
  explicit PastObject(KeyValueCache given) : Object(kKind), past(std::move(given)) {}
};

LanguageModelObject& model_of(Arguments& given) {
  LayerObject& layer = object<LayerObject>(given);
  if (layer.language_model()) return static_cast<LanguageModelObject&>(layer);
  throw ValueError(ErrorCode::kUnsupported, "language_model", "handle", "a language model", layer.op);
}

std::span<const uint8_t> file(Arguments& given) {
  const std::string_view bytes = given.bytes();
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

template <class Load>
void answer_model(const LanguageModelConfig& config, Load load) {
  auto model = std::make_unique<LanguageModelObject>(config);
  model->parameters.allocate();
  load(model->parameters);
  answer_object(std::move(model));
}

void llama2c(Arguments& given) {
  const Llama2cFile weights = read_llama2c(file(given), "load_llama2c", "bytes");
  answer_model(llama2c_config(weights.config),
               [&](Parameters& parameters) { load_llama2c(weights, parameters); });
}

void nano_gpt(Arguments& given) {
  const char* op = "load_nano_gpt";
  const std::span<const uint8_t> json = file(given);
  std::vector<NamedFile> files;
  for (const Listed& each : listed(given.bytes())) {
    files.push_back(
        {each.name, {reinterpret_cast<const uint8_t*>(each.pointer), static_cast<size_t>(each.shape[0])}});
  }
  const NanoGptFile weights =
      files.empty() ? read_nano_gpt(json, op, "json") : read_nano_gpt(json, files, op, "json");
  answer_model(nano_gpt_config(weights.config),
               [&](Parameters& parameters) { load_nano_gpt(weights, parameters); });
}

/// Answers what the API has to know of a model: "name,value" in lines.
void describe(Arguments& given) {
  const LanguageModelConfig& config = model_of(given).language_model()->config();
  const MultiHeadAttentionConfig& attention = config.layer.attention;
  const std::pair<const char*, int64_t> sizes[] = {
      {"vocab", config.vocab},        {"context", config.context},    {"n_out", config.n_out},
      {"d_model", attention.d_model}, {"n_heads", attention.n_heads}, {"d_head", attention.d_head},
      {"d_ff", config.layer.d_ff},    {"n_layers", config.n_layers}};
  std::string text;
  for (const auto& [name, size] : sizes) {
    text.append(text.empty() ? "" : "\n").append(name).append(",").append(std::to_string(size));
  }
  set_answer(std::move(text));
}

void make_past(Arguments& given) {
  const LanguageModel& model = *model_of(given).language_model();
  const int64_t batch = given.integer();
  answer_object(std::make_unique<PastObject>(model.make_cache(batch, given.integer())));
}

void past_length(Arguments& given) {
  set_answer(to_general(static_cast<double>(object<PastObject>(given).past.length()), 17));
}

void clear_past(Arguments& given) { object<PastObject>(given).past.clear(); }

void decode(Arguments& given) {
  LanguageModelObject& model = model_of(given);
  KeyValueCache& past = object<PastObject>(given).past;
  const IndexView ids = given.indices();
  const AttentionOptions options = given.attention_options();
  const View out = given.output();
  if (ids.shape.rank() == 2)
    check_shape("decode", "out", out.shape, {ids.shape[0], model.language_model()->config().n_out});
  model.parameters.pack();
  const View logits = model.language_model()->decode(ids, options, past, model.decoding);
  std::copy_n(logits.data, logits.shape.size(), out.data);
}

void likelihood(Arguments& given) {
  LanguageModelObject& model = model_of(given);
  const IndexView ids = given.indices();
  const AttentionOptions options = given.attention_options();
  const View out = given.output();
  const std::span<const int32_t> tokens(ids.data, static_cast<size_t>(ids.shape.size()));
  model.parameters.pack();
  const Likelihood likelihood =
      negative_log_likelihood(*model.language_model(), tokens, options, model.decoding);
  check_shape("nll", "out", out.shape, {static_cast<int64_t>(likelihood.losses.size())});
  std::copy(likelihood.losses.begin(), likelihood.losses.end(), out.data);
  set_answer(to_general(likelihood.mean, 17));
}

struct TokenizerObject final : Object {
  static constexpr const char* kKind = "tokenizer";
  Tokenizer tokenizer;
  TokenizerObject(std::span<const uint8_t> bytes, int64_t vocab)
      : Object(kKind), tokenizer(bytes, vocab, "tokenizer", "bytes") {}
};

void make_tokenizer(Arguments& given) {
  const std::span<const uint8_t> bytes = file(given);
  answer_object(std::make_unique<TokenizerObject>(bytes, given.integer()));
}

void answer_tokens(std::span<const int32_t> ids) {
  std::string text;
  for (const int32_t id : ids) text += std::to_string(id) + ",";
  set_answer(std::move(text));
}

void encode(Arguments& given) {
  const Tokenizer& tokenizer = object<TokenizerObject>(given).tokenizer;
  answer_tokens(tokenizer.encode(given.bytes()));
}

void decode_text(Arguments& given) {
  const Tokenizer& tokenizer = object<TokenizerObject>(given).tokenizer;
  const IndexView ids = given.indices();
  set_answer(tokenizer.decode({ids.data, static_cast<size_t>(ids.shape.size())}));
}

/// Answers the tokens. `on_token` returns whether to go on; it must not throw.
int generate(Pointer pointer, val on_token) {
  return guarded("generate", [&] {
    Arguments given(pointer);
    LanguageModelObject& model = model_of(given);
    KeyValueCache& past = object<PastObject>(given).past;
    const IndexView ids = given.indices();
    GenerateOptions options{given.integer()};
    options.attention = given.attention_options();
    if (const auto stop = given.number(); stop == stop) options.stop = static_cast<int32_t>(stop);
    if (!on_token.isUndefined()) {
      options.on_token = [&on_token](int32_t token) {
        if (!on_token(token).as<bool>()) throw Cancelled(ErrorCode::kCancelled, "generate", "", "", "");
      };
    }
    model.parameters.pack();
    const Busy busy(model);
    const std::span<const int32_t> prompt(ids.data, static_cast<size_t>(ids.shape.size()));
    answer_tokens(generate_greedy(*model.language_model(), prompt, options, past, model.decoding));
  });
}

}  // namespace

std::span<const Operator> model_operators() {
  static constexpr Operator kOperators[] = {
      {"load_llama2c", &call<llama2c>},
      {"load_nano_gpt", &call<nano_gpt>},
      {"describe_model", &call<describe>},
      {"make_past", &call<make_past>},
      {"past_length", &call<past_length>},
      {"clear_past", &call<clear_past>},
      {"decode", &call<decode>},
      {"likelihood", &call<likelihood>},
      {"make_tokenizer", &call<make_tokenizer>},
      {"tokenizer_encode", &call<encode>},
      {"tokenizer_decode", &call<decode_text>},
  };
  return kOperators;
}

}  // namespace sqrtdk::border

EMSCRIPTEN_BINDINGS(models) { emscripten::function("generate", &sqrtdk::border::generate); }
