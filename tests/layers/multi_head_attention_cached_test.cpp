// Attention after keys and values that a cache holds: the same bits as for the whole sequence.
#include <cmath>

#include "base/errors.h"
#include "layers/layer_case.h"
#include "layers/transformer.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

// Positions first .. first + n of x [batch, .., d].
Input positions(const Input& x, int64_t first, int64_t n) {
  const int64_t batch = x.shape[0], all = x.shape[1], d = x.shape[2];
  Input part({batch, n, d}, 1);
  for (int64_t b = 0; b < batch; ++b) {
    std::copy_n(x.values.begin() + (b * all + first) * d, n * d, part.values.begin() + b * n * d);
  }
  return part;
}

// forward for all of x against forward_cached for its pieces, one of many positions, some of few, one by one.
template <class Layer, class Config>
void check(const Config& config, const MultiHeadAttentionConfig& attention, int64_t batch,
           const AttentionOptions& options = {}) {
  Parameters parameters;
  Layer layer(parameters, config);
  if constexpr (requires { layer.options; }) layer.options = options;
  draw(parameters, 5);
  const int64_t n = 150;
  const Input x({batch, n, attention.d_model}, 1);
  Cache whole, pieces;
  Input all(x.shape, 2);
  all.values = numbers(layer.forward(x.view(), whole));
  for (const int64_t capacity : {n, n + 77}) {
    KeyValueCache past(1, batch, attention.n_kv_heads, capacity, attention.d_head);
    const PastKeys buffers = past.layer(0);
    std::fill_n(buffers.k.data, buffers.k.shape.size(), NAN);
    std::fill_n(buffers.v.data, buffers.v.shape.size(), NAN);
    for (const int64_t size : {1, 70, 5, 1, 3, 66, 1, 1, 2}) {
      const int64_t first = past.length();
      const Input part = positions(x, first, size);
      const std::vector<float> out = numbers(layer.forward_cached(part.view(), past, pieces));
      CHECK(past.length() == first + size);
      CHECK(same_bits(out, positions(all, first, size).values));
    }
    CHECK(past.length() == n);
    for (int64_t row = 0; row < batch * attention.n_kv_heads; ++row) {
      for (int64_t i = n * attention.d_head; i < capacity * attention.d_head; ++i) {
        CHECK(std::isnan(buffers.k.data[row * capacity * attention.d_head + i]));
      }
    }
  }
}

struct AttentionLayer {
  AttentionLayer(Parameters& parameters, const MultiHeadAttentionConfig& config)
      : attention(parameters, "attn", config) {}
  View forward(ConstView x, Cache& cache) const {
    AttentionOptions whole = options;
    whole.causal = Causal::kTopLeft;
    return attention.forward(x, x, x, whole, false, cache, {});
  }
  View forward_cached(ConstView x, KeyValueCache& past, Cache& cache) const {
    const View out = attention.forward_cached(x, past.layer(0), options, cache);
    past.advance(x.shape[1]);
    return out;
  }
  MultiHeadAttention attention;
  AttentionOptions options;
};

struct Stack {
  Stack(Parameters& parameters, const TransformerLayerConfig& config)
      : encoder(parameters, "", config, 1, true) {}
  View forward(ConstView x, Cache& cache) const { return encoder.forward(x, causal(), false, cache, {}); }
  View forward_cached(ConstView x, KeyValueCache& past, Cache& cache) const {
    return encoder.forward_cached(x, past, {}, cache);
  }
  TransformerEncoder encoder;
};

void check_attention(const MultiHeadAttentionConfig& config, int64_t batch = 2,
                     const AttentionOptions& options = {}) {
  Parameters parameters;
  check<AttentionLayer>(config, MultiHeadAttention(parameters, "", config).config(), batch, options);
}

}  // namespace

TEST_CASE("forward_cached: the bits of forward, whatever the pieces") {
  check_attention({12, 3});
  check_attention({16, 2}, 1);
  MultiHeadAttentionConfig config{12, 4};
  config.n_kv_heads = 2, config.d_head = 6, config.rotary_base = 1000, config.bias = false;
  check_attention(config);
  config.rotary_pairs = RotaryPairs::kInterleaved, config.softcap = 0.8f, config.scale = 0.5f;
  check_attention(config);
  config.n_kv_heads = 1, config.qk_norm = true, config.learned_scale = true;
  check_attention(config);
}

TEST_CASE("forward_cached: the bits of forward with a scale for each head") {
  const float scales[] = {0.5f, -1.0f, 0.0f, 2.0f};
  AttentionOptions options;
  options.head_scales = scales;
  for (const int64_t n_kv_heads : {1, 2, 4}) {
    for (const bool cosine : {false, true}) {
      MultiHeadAttentionConfig config{16, 4};
      config.n_kv_heads = n_kv_heads, config.cosine = cosine;
      check_attention(config, 2, options);
    }
  }
}

TEST_CASE("forward_cached: layers and stacks, with and without packed weights") {
  TransformerLayerConfig config{{12, 3}, 20};
  for (const bool norm_first : {false, true}) {
    config.norm_first = norm_first, config.attention.rotary_base = 100, config.attention.cosine = norm_first;
    check<Stack>(config, attention_of(config, 100), 2);
  }

  Parameters parameters;
  const TransformerEncoder encoder(parameters, "", config, 3, false);
  draw(parameters, 5);
  const Input x({2, 9, 12}, 1);
  Cache cache;
  const std::vector<float> all = numbers(encoder.forward(x.view(), causal(), false, cache, {}));
  parameters.pack();
  KeyValueCache past(3, 2, 3, 9, 4);
  for (int64_t i = 0; i < 9; ++i) {
    const std::vector<float> out =
        numbers(encoder.forward_cached(positions(x, i, 1).view(), past, {}, cache));
    for (int64_t b = 0; b < 2; ++b) {
      const auto row = all.begin() + (b * 9 + i) * 12;
      CHECK(same_bits({out.begin() + b * 12, out.begin() + (b + 1) * 12}, {row, row + 12}));
    }
  }
}

TEST_CASE("forward_cached: a scale and a softcap of the caller's") {
  Parameters parameters;
  const MultiHeadAttention attention(parameters, "attn", {8, 2});
  draw(parameters, 5);
  const Input x({1, 6, 8}, 1);
  AttentionOptions options = causal();
  options.scale = 0.3f, options.softcap = 0.5f;
  Cache cache;
  const std::vector<float> all =
      numbers(attention.forward(x.view(), x.view(), x.view(), options, false, cache, {}));
  KeyValueCache past(1, 1, 2, 6, 4);
  options.causal = Causal::kNo;  // it is causal all the same
  CHECK(same_bits(numbers(attention.forward_cached(x.view(), past.layer(0), options, cache)), all));
}

TEST_CASE("forward_cached: what does not fit is an error, and nothing is written") {
  Parameters parameters;
  const MultiHeadAttention attention(parameters, "attn", {8, 2});
  const TransformerEncoder encoder(parameters, "", {{8, 2}, 12}, 2, false);
  draw(parameters, 5);
  const Input x({1, 3, 8}, 1), batch({2, 3, 8}, 1), wide({1, 3, 6}, 1);
  Cache cache;
  KeyValueCache past(2, 1, 2, 4, 4), other(2, 1, 1, 4, 4);
  for (int64_t i = 0; i < 2; ++i) {
    std::fill_n(past.layer(i).k.data, 32, -7.0f), std::fill_n(past.layer(i).v.data, 32, -7.0f);
  }
  past.advance(2);
  const auto refused = [&](ConstView input, KeyValueCache& keys, const AttentionOptions& options) {
    CHECK_THROWS_AS(attention.forward_cached(input, keys.layer(0), options, cache), sqrtdk::Error);
    CHECK_THROWS_AS(encoder.forward_cached(input, keys, options, cache), sqrtdk::Error);
  };
  refused(x.view(), past, {});  // 2 + 3 > 4
  const PastKeys beyond{past.layer(0).k, past.layer(0).v, INT64_MAX};
  CHECK_THROWS_AS(attention.forward_cached(x.view(), beyond, {}, cache), ValueError);
  refused(batch.view(), past, {});
  refused(wide.view(), past, {});
  refused(x.view(), other, {});
  const std::vector<int32_t> lengths{2};
  const std::vector<uint8_t> mask{1};
  const std::vector<float> bias{0};
  AttentionOptions padded, masked, biased;
  padded.lengths = {lengths.data(), {1}};
  masked.mask = {mask.data(), {1}};
  biased.bias = {bias.data(), {1}};
  const ConstView two(x.values.data(), {1, 2, 8});
  for (const AttentionOptions& options : {padded, masked, biased}) refused(two, past, options);
  CHECK(past.length() == 2);
  for (int64_t i = 0; i < 32; ++i) {
    for (int64_t layer = 0; layer < 2; ++layer) {
      CHECK(past.layer(layer).k.data[i] == -7);
      CHECK(past.layer(layer).v.data[i] == -7);
    }
  }
  encoder.forward_cached(two, past, {}, cache);
  CHECK(past.length() == 4);

  Parameters others;
  MultiHeadAttentionConfig config{8, 2};
  config.d_key_in = 8, config.d_value_in = 6;
  const MultiHeadAttention cross(others, "attn", config);
  draw(others, 5);
  past.clear();
  CHECK_THROWS_AS(cross.forward_cached(x.view(), past.layer(0), {}, cache), ValueError);
}
