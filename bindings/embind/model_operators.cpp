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

template <class Load>
std::unique_ptr<Object> loaded(const LanguageModelConfig& config, Load load) {
  auto model = std::make_unique<LanguageModelObject>(config);
  model->parameters.allocate();
  load(model->parameters);
  return model;
}

std::unique_ptr<Object> llama2c(std::span<const uint8_t> bytes) {
  const Llama2cFile weights = read_llama2c(bytes, "load_llama2c", "bytes");
  return loaded(llama2c_config(weights.config),
                [&](Parameters& parameters) { load_llama2c(weights, parameters); });
}

std::unique_ptr<Object> nano_gpt(std::span<const uint8_t> json, std::string_view named) {
  const char* op = "load_nano_gpt";
  std::vector<NamedFile> files;
  for (const Listed& each : listed(named)) {
    files.push_back(
        {each.name, {reinterpret_cast<const uint8_t*>(each.pointer), static_cast<size_t>(each.shape[0])}});
  }
  const NanoGptFile weights =
      files.empty() ? read_nano_gpt(json, op, "json") : read_nano_gpt(json, files, op, "json");
  return loaded(nano_gpt_config(weights.config),
                [&](Parameters& parameters) { load_nano_gpt(weights, parameters); });
}

/// What the API has to know of a model: "name,value" in lines.
std::string describe(LanguageModelObject& model) {
  const LanguageModelConfig& config = model.language_model()->config();
  const MultiHeadAttentionConfig& attention = config.layer.attention;
  const std::pair<const char*, int64_t> sizes[] = {
      {"vocab", config.vocab},        {"context", config.context},    {"n_out", config.n_out},
      {"d_model", attention.d_model}, {"n_heads", attention.n_heads}, {"d_head", attention.d_head},
      {"d_ff", config.layer.d_ff},    {"n_layers", config.n_layers}};
  std::string text;
  for (const auto& [name, size] : sizes) {
    text.append(text.empty() ? "" : "\n").append(name).append(",").append(to_text(size));
  }
  return text;
}

void pack_model(LanguageModelObject& model, WeightFormat weights) { model.parameters.pack(weights); }

std::unique_ptr<Object> make_past(LanguageModelObject& model, int64_t batch, int64_t capacity) {
  return std::make_unique<PastObject>(model.language_model()->make_cache(batch, capacity));
}

double past_length(PastObject& past) { return static_cast<double>(past.past.length()); }

void clear_past(PastObject& past) { past.past.clear(); }

void decode(LanguageModelObject& model, PastObject& past, const IndexView& ids,
            const AttentionArguments& options, const View& out) {
  running = model.op;
  const AttentionOptions resolved = model.options("decode", options);
  if (ids.shape.rank() == 2)
    check_shape("decode", "out", out.shape, {ids.shape[0], model.language_model()->config().n_out});
  model.parameters.pack();
  const View logits = model.language_model()->decode(ids, resolved, past.past, model.decoding);
  std::copy_n(logits.data, logits.shape.size(), out.data);
}

double likelihood(LanguageModelObject& model, const IndexView& ids, const AttentionArguments& options,
                  const View& out) {
  const AttentionOptions resolved = model.options("nll", options);
  const std::span<const int32_t> tokens(ids.data, static_cast<size_t>(ids.shape.size()));
  model.parameters.pack();
  const Likelihood likelihood =
      negative_log_likelihood(*model.language_model(), tokens, resolved, model.decoding);
  check_shape("nll", "out", out.shape, {static_cast<int64_t>(likelihood.losses.size())});
  std::copy(likelihood.losses.begin(), likelihood.losses.end(), out.data);
  return likelihood.mean;
}

struct TokenizerObject final : Object {
  static constexpr const char* kKind = "tokenizer";
  Tokenizer tokenizer;
  TokenizerObject(std::span<const uint8_t> bytes, int64_t vocab)
      : Object(kKind), tokenizer(bytes, vocab, "tokenizer", "bytes") {}
};

std::unique_ptr<Object> make_tokenizer(std::span<const uint8_t> bytes, int64_t vocab) {
  return std::make_unique<TokenizerObject>(bytes, vocab);
}

/// "1,403,407,"
std::string tokens_text(std::span<const int32_t> ids) {
  std::string text;
  for (const int32_t id : ids) text += to_text(id) + ",";
  return text;
}

std::string encode(TokenizerObject& tokenizer, std::string_view text) {
  return tokens_text(tokenizer.tokenizer.encode(text));
}

std::string decode_text(TokenizerObject& tokenizer, const IndexView& ids) {
  return tokenizer.tokenizer.decode({ids.data, static_cast<size_t>(ids.shape.size())});
}

/// Reports each token, and is cancelled where it is not to go on.
std::string continued(LanguageModelObject& model, PastObject& past, const IndexView& ids, int64_t steps,
                      const AttentionArguments& attention, double temperature, int64_t top_k, double top_p,
                      uint64_t seed, std::optional<int32_t> stop, bool reports) {
  running = "generate";
  AttentionOptions scaled = model.options(running, attention);
  // A copy, as what is told of each token may call operators, with arguments of their own.
  const std::vector<float> scales(scaled.head_scales.begin(), scaled.head_scales.end());
  scaled.head_scales = scales;
  GenerateOptions options{steps, scaled, {temperature, top_k, top_p, seed}, stop};
  if (reports) {
    options.on_token = [](int32_t token) {
      if (!report(token)) throw Cancelled(ErrorCode::kCancelled, "generate", "", "", "");
    };
  }
  model.parameters.pack();
  const Busy busy(model);
  const std::span<const int32_t> prompt(ids.data, static_cast<size_t>(ids.shape.size()));
  return tokens_text(generate(*model.language_model(), prompt, options, past.past, model.decoding));
}

}  // namespace

std::span<const Operator> model_operators() {
  static constexpr Operator kOperators[] = {
      op<llama2c>("load_llama2c", "bytes"),
      op<nano_gpt>("load_nano_gpt", "json files"),
      op<describe>("describe_model", "model"),
      op<pack_model>("pack_model", "model weights"),
      op<make_past>("make_past", "model batch capacity"),
      op<past_length>("past_length", "past"),
      op<clear_past>("clear_past", "past"),
      op<decode>("decode", "model past ids options out"),
      op<likelihood>("likelihood", "model ids options out"),
      op<continued>("generate", "model past ids steps options temperature top_k top_p seed stop? reports"),
      op<make_tokenizer>("make_tokenizer", "bytes vocab"),
      op<encode>("tokenizer_encode", "tokenizer text"),
      op<decode_text>("tokenizer_decode", "tokenizer ids"),
  };
  return kOperators;
}

}  // namespace sqrtdk::border
