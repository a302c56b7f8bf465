// A whole model's beginning, by the names of its parameters.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.h"
#include "layers/initialize.h"
#include "layers/transformer.h"
#include "models/language_model.h"
#include "reference/buffers.h"
#include "reference/compare.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

struct Spread {
  double std = 0, smallest = INFINITY, largest = 0, first = 0;  // of |x|
  size_t count = 0;
};

Spread spread_of(Parameters& parameters, const std::string& name) {
  CAPTURE(name);
  const int index = parameters.find(name);
  REQUIRE(index >= 0);
  const View x = parameters.value(index);
  Spread spread;
  spread.first = x.data[0];
  spread.count = static_cast<size_t>(x.shape.size());
  for (int64_t i = 0; i < x.shape.size(); ++i) {
    spread.std += static_cast<double>(x.data[i]) * x.data[i] / static_cast<double>(x.shape.size());
    const double size = std::fabs(static_cast<double>(x.data[i]));
    spread.smallest = std::min(spread.smallest, size);
    spread.largest = std::max(spread.largest, size);
  }
  spread.std = std::sqrt(spread.std);
  return spread;
}

template <class Predicate>
bool all(const Parameters& parameters, Predicate predicate) {
  const auto values = parameters.values();
  return std::all_of(values.begin(), values.end(), predicate);
}

struct Model {
  Model() {
    LanguageModelConfig config{60, 40, 2, {{48, 4}, 96}};
    config.positions = Positions::kLearned, config.tied = false, config.head_bias = true;
    const LanguageModel model(parameters, "m", config);
    parameters.allocate();
    for (float& value : parameters.values()) value = NAN;
  }
  void check_constants() {
    for (const char* name : {"m.norm.weight", "m.layers.1.norm1.weight", "m.layers.0.norm2.weight"}) {
      const Spread spread = spread_of(parameters, name);
      CHECK((spread.largest == 1 && spread.smallest == 1));
    }
    for (const char* name : {"m.norm.bias", "m.layers.1.norm1.bias", "m.layers.0.self_attn.in_proj_bias",
                             "m.layers.0.self_attn.out_proj.bias"}) {
      CHECK(spread_of(parameters, name).largest == 0);
    }
    CHECK(all(parameters, [](float value) { return std::isfinite(value); }));
  }
  // Uniform within `bound`, or normal, with this standard deviation, to 5 standard errors.
  void check_spread(const char* name, double std, double bound = std::numeric_limits<double>::infinity()) {
    CAPTURE(name);
    const Spread spread = spread_of(parameters, name);
    CHECK(std::fabs(spread.std / std - 1) <= 5 / std::sqrt(2.0 * static_cast<double>(spread.count)));
    CHECK(spread.largest <= bound * (1 + 1e-6));
    CHECK(spread.largest >= std);
  }
  Parameters parameters;
};

constexpr const char* kIn = "m.layers.1.self_attn.in_proj_weight";
constexpr const char* kOut = "m.layers.1.self_attn.out_proj.weight";
constexpr const char* kFirst = "m.layers.0.linear1.weight";
constexpr const char* kSecond = "m.layers.0.linear2.weight";

}  // namespace

TEST_CASE("initialize: PyTorch's defaults, layer by layer") {
  Model model;
  initialize(model.parameters, {}, 3);
  model.check_constants();
  const double root3 = std::sqrt(3.0), in = std::sqrt(6.0 / (4 * 48)), d = 1 / std::sqrt(48.0),
               d_ff = 1 / std::sqrt(96.0);
  model.check_spread(kIn, in / root3, in);
  model.check_spread(kOut, d / root3, d);
  model.check_spread(kFirst, d / root3, d);
  model.check_spread("m.layers.0.linear1.bias", d / root3, d);
  model.check_spread(kSecond, d_ff / root3, d_ff);
  model.check_spread("m.layers.0.linear2.bias", d_ff / root3, d_ff);
  model.check_spread("m.head.bias", d / root3, d);
  model.check_spread("m.head.weight", d / root3, d);
  model.check_spread("m.embedding.weight", 1);
  model.check_spread("m.positions.weight", 1);
}

TEST_CASE("initialize: Xavier, Kaiming and normal; biases begin at 0") {
  const double root3 = std::sqrt(3.0);
  const struct {
    InitScheme scheme;
    bool uniform;
    double in, split, first, second;  // standard deviations at gain 1, std 0.02
  } cases[] = {
      {InitScheme::kXavierUniform, true, std::sqrt(2.0 / 192), std::sqrt(2.0 / 96), std::sqrt(2.0 / 144),
       std::sqrt(2.0 / 144)},
      {InitScheme::kXavierNormal, false, std::sqrt(2.0 / 192), std::sqrt(2.0 / 96), std::sqrt(2.0 / 144),
       std::sqrt(2.0 / 144)},
      {InitScheme::kKaimingUniform, true, std::sqrt(1.0 / 48), std::sqrt(1.0 / 48), std::sqrt(1.0 / 48),
       std::sqrt(1.0 / 96)},
      {InitScheme::kKaimingNormal, false, std::sqrt(1.0 / 48), std::sqrt(1.0 / 48), std::sqrt(1.0 / 48),
       std::sqrt(1.0 / 96)},
      {InitScheme::kNormal, false, 0.02, 0.02, 0.02, 0.02},
  };
  for (const auto& each : cases) {
    for (const float gain : {1.0f, 1.5f}) {
      for (const bool split : {false, true}) {
        Model model;
        initialize(model.parameters, {each.scheme, gain, split}, 3);
        model.check_constants();
        const double by = each.scheme == InitScheme::kNormal ? 1 : gain;
        const auto check = [&](const char* name, double std) {
          model.check_spread(name, by * std, each.uniform ? by * std * root3 : INFINITY);
        };
        check(kIn, split ? each.split : each.in), check(kFirst, each.first), check(kSecond, each.second);
        CHECK(spread_of(model.parameters, "m.layers.0.linear1.bias").largest == 0);
        CHECK(spread_of(model.parameters, "m.head.bias").largest == 0);
        model.check_spread("m.embedding.weight", each.scheme == InitScheme::kNormal ? 0.02 : 1);
      }
    }
  }
}

TEST_CASE("initialize: embeddings as wished, seeds, and names that draw for themselves") {
  Model a, b, c;
  Initialization how;
  how.embedding_std = 0.1f;
  initialize(a.parameters, how, 3), initialize(b.parameters, how, 3), initialize(c.parameters, how, 4);
  a.check_spread("m.embedding.weight", 0.1);
  a.check_spread("m.positions.weight", 0.1);
  const auto values = [](const Model& model) {
    const auto all = model.parameters.values();
    return std::vector<float>(all.begin(), all.end());
  };
  CHECK(same_bits(values(a), values(b)));
  CHECK_FALSE(same_bits(values(a), values(c)));
  CHECK(spread_of(a.parameters, "m.layers.0.linear1.weight").first !=
        spread_of(a.parameters, "m.layers.1.linear1.weight").first);
}

TEST_CASE("initialize: encoder and decoder, and projections of other widths") {
  Parameters parameters;
  TransformerLayerConfig config{{24, 4}, 32};
  config.attention.n_kv_heads = 2, config.attention.learned_scale = true;
  const Transformer model(parameters, "t", config, 1, 1);
  parameters.allocate();
  for (float& value : parameters.values()) value = NAN;
  initialize(parameters, {}, 3);
  CHECK(all(parameters, [](float value) { return std::isfinite(value); }));
  const double largest = spread_of(parameters, "t.decoder.layers.0.multihead_attn.k_proj_weight").largest;
  CHECK(largest <= std::sqrt(6.0 / 36));
  CHECK(largest > 0.9 * std::sqrt(6.0 / 36));
  CHECK(spread_of(parameters, "t.decoder.layers.0.multihead_attn.in_proj_bias").largest == 0);
  CHECK(spread_of(parameters, "t.encoder.norm.weight").first == 1);
  CHECK(spread_of(parameters, "t.encoder.layers.0.self_attn.scale").first == 1);
}

TEST_CASE("initialize: an invalid spread changes nothing") {
  Model model;
  for (const float bad : {-1.0f, NAN, INFINITY}) {
    Initialization how;
    how.gain = bad;
    CHECK_THROWS_AS(initialize(model.parameters, how, 1), ValueError);
    how = {}, how.std = bad;
    CHECK_THROWS_AS(initialize(model.parameters, how, 1), ValueError);
    how = {}, how.embedding_std = bad;
    CHECK_THROWS_AS(initialize(model.parameters, how, 1), ValueError);
    how = {}, how.projection_std = bad;
    CHECK_THROWS_AS(initialize(model.parameters, how, 1), ValueError);
  }
  CHECK(all(model.parameters, [](float value) { return std::isnan(value); }));
}

TEST_CASE("initialize: the input projections of attention by themselves") {
  for (const InitScheme scheme : {InitScheme::kPyTorch, InitScheme::kXavierUniform, InitScheme::kNormal}) {
    Model model, plain;
    Initialization how;
    how.scheme = scheme;
    initialize(plain.parameters, how, 3);
    how.projection_std = 0.3f;
    initialize(model.parameters, how, 3);
    model.check_constants();
    model.check_spread(kIn, 0.3);
    for (const char* name : {kOut, kFirst, "m.embedding.weight"}) {
      CHECK(spread_of(model.parameters, name).std == spread_of(plain.parameters, name).std);
    }
  }
}

TEST_CASE("initialize: w_k begins as w_q, or as a matrix of its own") {
  for (const bool tied : {false, true}) {
    for (const int64_t d_head : {4, 6}) {
      CAPTURE(tied);
      CAPTURE(d_head);
      Parameters parameters, plain;
      TransformerLayerConfig config{{8, 2}, 16};
      config.attention.tied_kv = tied, config.attention.d_head = d_head;
      const EncoderLayer layer(parameters, "", config), same(plain, "", config);
      parameters.allocate(), plain.allocate();
      Initialization how;
      initialize(plain, how, 3);
      how.equal_qk = true;
      initialize(parameters, how, 3);
      const int index = parameters.find("self_attn.in_proj_weight");
      const float *const w = parameters.value(index).data, *const own = plain.value(index).data;
      const int64_t size = 2 * d_head * 8;
      CHECK(std::equal(w, w + size, own));
      CHECK(std::equal(w, w + size, w + size));
      CHECK_FALSE(std::equal(own, own + size, own + size));
      if (!tied) CHECK(std::equal(w + 2 * size, w + 3 * size, own + 2 * size));
      const auto rest = static_cast<size_t>(parameters.shape(index).size());  // in_proj_weight is the first
      const std::span<const float> ours = parameters.values().subspan(rest),
                                   theirs = plain.values().subspan(rest);
      CHECK(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
    }
  }
}

TEST_CASE("initialize: w_q and w_k of other parameters, and of other shapes") {
  const auto start = [](int64_t n_kv_heads, bool tied) {
    Parameters parameters;
    MultiHeadAttentionConfig config{8, 2};
    config.n_kv_heads = n_kv_heads, config.tied_kv = tied, config.d_key_in = config.d_value_in = tied ? 8 : 0;
    if (n_kv_heads == 0) config.d_value_in = 5, config.d_key_in = 8;
    const MultiHeadAttention attention(parameters, "attn", config);
    parameters.allocate();
    Initialization how;
    how.equal_qk = true;
    initialize(parameters, how, 3);
    const View q = parameters.value(parameters.find("attn.q_proj_weight"));
    const View k = parameters.value(parameters.find("attn.k_proj_weight"));
    return std::equal(q.data, q.data + 64, k.data);
  };
  CHECK(start(0, false));
  CHECK_THROWS_AS(start(1, false), ShapeError);
  CHECK_THROWS_AS(start(1, true), ShapeError);
}

TEST_CASE("initialize: tied keys and values begin as w_q and w_k of separate ones") {
  for (const InitScheme scheme :
       {InitScheme::kXavierUniform, InitScheme::kXavierNormal, InitScheme::kNormal}) {
    Parameters tied, separate;
    TransformerLayerConfig config{{24, 4}, 32};
    const EncoderLayer first(separate, "", config);
    config.attention.tied_kv = true;
    const EncoderLayer second(tied, "", config);
    const Initialization how{.scheme = scheme, .split_in_proj = true};
    for (Parameters* parameters : {&tied, &separate}) {
      parameters->allocate();
      initialize(*parameters, how, 3);
    }
    const float* const a = tied.value(tied.find("self_attn.in_proj_weight")).data;
    const float* const b = separate.value(separate.find("self_attn.in_proj_weight")).data;
    for (int64_t i = 0; i < 2 * 24 * 24; ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-6));
  }
}
