// Layers and models of any configuration are refused, or run: with every step visible and without, where
// attention is tiled, outputs and gradients are equal within rounding; a model that decodes has the bits of
// its forward pass.
#include <cmath>

#include "fuzz/fuzz.h"
#include "models/config_fields.h"
#include "reference/buffers.h"
#include "reference/compare.h"

namespace sqrtdk::fuzz {
namespace {

using reference::Draws;
using reference::widen;

/// Sets each field to what is usual, at the edge of what is allowed, or beyond it.
class FieldChooser : public FlatVisitor {
 public:
  explicit FieldChooser(Choices& choices) : choices_(choices) {}
  template <class Value>
  void operator()(const char* name, Value& value, const About& about) {
    if constexpr (std::is_same_v<Value, std::optional<float>>) {
      if (choices_.ConsumeBool()) value = static_cast<float>(choices_.between(-8, 8)) / 4;
    } else if constexpr (std::is_enum_v<Value>) {
      value = static_cast<Value>(choices_.between(0, std::ssize(sqrtdk::Choices<Value>::kNames) - 1));
    } else if constexpr (std::is_same_v<Value, bool>) {
      value = choices_.ConsumeBool();
    } else if constexpr (std::is_integral_v<Value>) {
      const auto most = static_cast<Value>(about.range.max);
      value = !choices_.one_in(12) ? static_cast<Value>(choices_.between(1, 8))
                                   : choices_.one_of<Value>({0, most, static_cast<Value>(most + 1)});
    } else if (std::string_view(name).ends_with("epsilon")) {
      value = choices_.one_in(16) ? choices_.one_of<Value>({0, -1, NAN}) : choices_.one_of<Value>({0.1f, 1});
    } else {  // a share, or what is off unless positive
      value = !choices_.one_in(12) ? choices_.one_of<Value>({0, 0.5f})
                                   : choices_.one_of<Value>({1, -1, NAN, INFINITY});
    }
  }

 private:
  Choices& choices_;
};

template <class Config>
Config config_of(Choices& choices) {
  Config config{};
  FieldChooser chooser(choices);
  visit_fields(config, chooser);
  return config;
}

struct Pass {
  std::vector<float> out, gradients;  // of the inputs, then of the parameters
};
void append(std::vector<float>& all, ConstView x) { all.insert(all.end(), x.data, x.data + x.shape.size()); }

bool near(const std::vector<float>& a, const std::vector<float>& b) {
  const std::vector<double> exact = widen(b);
  double size = 1;
  for (const double x : exact) {
    if (!std::isfinite(x)) return true;  // a scale of any size may overflow
    size = std::max(size, std::fabs(x));
  }
  return reference::compare(a, exact).absolute <= 1e-3 * size;
}

bool fits(const Parameters& parameters) { return parameters.size() <= 4096; }

void begin(Parameters& parameters, Choices& choices) {
  parameters.allocate();
  const std::vector<float> values = Draws(choices.between(0, 1 << 20)).normals(parameters.size(), 0.5f);
  std::copy(values.begin(), values.end(), parameters.values().begin());
}

/// `pass(explain)` runs forward and backward, and adds to the gradients.
template <class Run>
void check_passes(Parameters& parameters, Run pass) {
  const auto with_parameters = [&](bool explain) {
    parameters.clear_gradients();
    Pass result = pass(explain);
    const auto gradients = parameters.gradients();
    result.gradients.insert(result.gradients.end(), gradients.begin(), gradients.end());
    return result;
  };
  const Pass explained = with_parameters(true), tiled = with_parameters(false),
             again = with_parameters(false);
  CHECK(near(tiled.out, explained.out));
  CHECK(near(tiled.gradients, explained.gradients));
  CHECK(reference::same_bits(again.out, tiled.out));
  CHECK(reference::same_bits(again.gradients, tiled.gradients));
}

struct Sequence {
  int64_t batch, n;
  std::vector<float> numbers(int64_t d, uint64_t seed) const { return Draws(seed).normals(batch * n * d); }
};

AttentionOptions options_of(Choices& choices) {
  AttentionOptions options;
  options.causal = choices.one_of({Causal::kNo, Causal::kTopLeft});
  if (choices.one_in(4)) options.scale = 0.5f;
  if (choices.one_in(4)) options.softcap = 2;
  return options;
}

Mode mode_of(Choices& choices) {
  return {.training = choices.ConsumeBool(), .seed = 1, .step = static_cast<uint64_t>(choices.between(0, 9))};
}

void check_attention(Choices& choices) {
  const auto config = config_of<MultiHeadAttentionConfig>(choices);
  Parameters parameters;
  const MultiHeadAttention layer(parameters, "", config);
  if (!fits(parameters)) return;
  begin(parameters, choices);
  const Sequence sequence{choices.between(1, 2), choices.between(1, 5)};
  const Shape shape{sequence.batch, sequence.n, config.d_model};
  const std::vector<float> x = sequence.numbers(config.d_model, 1),
                           dout = sequence.numbers(config.d_model, 2);
  const ConstView view(x.data(), shape);
  const AttentionOptions options = options_of(choices);
  const Mode mode = mode_of(choices);
  check_passes(parameters, [&](bool explain) {
    Cache cache;
    Pass pass;
    append(pass.out, layer.forward(view, view, view, options, explain, cache, mode));
    const auto [dquery, dkey, dvalue] = layer.backward({dout.data(), shape}, options, cache);
    for (const View& gradient : {dquery, dkey, dvalue}) append(pass.gradients, gradient);
    return pass;
  });
}

void check_transformer(Choices& choices) {
  const auto config = config_of<TransformerLayerConfig>(choices);
  Parameters parameters;
  const int64_t layers = choices.one_in(16) ? choices.one_of<int64_t>({0, 1025}) : 1;
  const Transformer layer(parameters, "", config, layers, 1);
  if (!fits(parameters)) return;
  begin(parameters, choices);
  const Sequence from{choices.between(1, 2), choices.between(1, 4)}, to{from.batch, choices.between(1, 4)};
  const int64_t d = config.attention.d_model;
  const std::vector<float> source = from.numbers(d, 1), target = to.numbers(d, 2), dout = to.numbers(d, 3);
  const ConstView source_view(source.data(), {from.batch, from.n, d}),
      target_view(target.data(), {to.batch, to.n, d});
  TransformerOptions options;
  options.encoder = options_of(choices);
  const Mode mode = mode_of(choices);
  check_passes(parameters, [&](bool explain) {
    Cache cache;
    Pass pass;
    append(pass.out, layer.forward(source_view, target_view, options, explain, cache, mode));
    const auto [dsource, dtarget] =
        layer.backward(source_view, target_view, {dout.data(), target_view.shape}, options, cache);
    append(pass.gradients, dsource);
    append(pass.gradients, dtarget);
    return pass;
  });
}

void check_model(Choices& choices) {
  const auto config = completed(config_of<LanguageModelConfig>(choices));
  // A table of positions has as many numbers.
  if (config.context * config.layer.attention.d_model > 4096) return;
  Parameters parameters;
  const LanguageModel model(parameters, "", config);
  if (!fits(parameters)) return;
  begin(parameters, choices);
  const int64_t batch = choices.between(1, 2), n = choices.between(1, std::min<int64_t>(config.context, 5));
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < batch * n; ++i)
    ids.push_back(static_cast<int32_t>(choices.between(0, config.vocab - 1)));
  const IndexView tokens(ids.data(), {batch, n});
  const Mode mode = mode_of(choices);
  std::vector<float> dlogits;
  check_passes(parameters, [&](bool explain) {
    Cache cache;
    Pass pass;
    const View logits = model.forward(tokens, {}, explain, cache, mode);
    append(pass.out, logits);
    dlogits = Draws(4).normals(logits.shape.size());
    model.backward(tokens, {dlogits.data(), logits.shape}, {}, cache);
    return pass;
  });
  if (!config.causal) return;
  Cache cache;
  KeyValueCache past = model.make_cache(batch);
  const View logits = model.forward(tokens, {}, false, cache, {});
  const int64_t n_out = logits.shape[-1];
  std::vector<float> last;
  for (int64_t b = 0; b < batch; ++b) append(last, {logits.data + ((b + 1) * n - 1) * n_out, {n_out}});
  if (choices.ConsumeBool()) parameters.pack();
  std::vector<float> decoded;
  const int64_t cut = choices.between(0, n - 1);  // tokens before it come first
  for (const auto& [first, end] : {std::pair(int64_t{0}, cut), std::pair(cut, n)}) {
    if (first == end) continue;
    std::vector<int32_t> part;
    for (int64_t b = 0; b < batch; ++b) {
      part.insert(part.end(), ids.begin() + b * n + first, ids.begin() + b * n + end);
    }
    decoded.clear();
    append(decoded, model.decode({part.data(), {batch, end - first}}, {}, past, cache));
  }
  CHECK(reference::same_bits(decoded, last));
}

}  // namespace

void run(Bytes input) {
  Choices choices(input);
  refused([&] {
    switch (choices.between(0, 2)) {
      case 0:
        return check_attention(choices);
      case 1:
        return check_transformer(choices);
      default:
        return check_model(choices);
    }
  });
}

}  // namespace sqrtdk::fuzz
