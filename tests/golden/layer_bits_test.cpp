// The bits of layers and models are those of layer_hashes.inc, which every build and browser is held to;
// layer_hashes.ts computes the same through the JavaScript API.
#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "layers/initialize.h"
#include "layers/positional_encoding.h"
#include "models/language_model.h"
#include "tensor/random.h"

namespace sqrtdk {
namespace {

const std::map<std::string, std::string> kExpected{
#include "golden/layer_hashes.inc"
};

class BitsHash {
 public:
  BitsHash& add(const float* data, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      uint32_t bits;
      std::memcpy(&bits, data + i, sizeof bits);
      a_ = (a_ ^ bits) * 0x01000193u;
      b_ = ((b_ ^ bits) * 0x01000193u) ^ (a_ >> 15);
    }
    return *this;
  }
  BitsHash& add(ConstView x) { return add(x.data, x.shape.size()); }
  BitsHash& add_gradients(const Parameters& parameters) {
    return add(parameters.gradients().data(), parameters.size());
  }
  std::string text() const {
    char text[17];
    std::snprintf(text, sizeof text, "%08x%08x", a_, b_);
    return text;
  }

 private:
  uint32_t a_ = 0x811c9dc5u, b_ = 0x9747b28cu;
};

struct Draw {
  std::vector<float> values;
  Shape shape;
  Draw(uint64_t stream, const Shape& shape) : values(static_cast<size_t>(shape.size())), shape(shape) {
    philox_normal(11, stream, 0, values.data(), shape.size());
  }
  ConstView view() const { return {values.data(), shape}; }
};

void begin(Parameters& parameters) {
  parameters.allocate();
  initialize(parameters, {}, 5);
}

const Shape kX{2, 7, 24};

std::string encoder_bits(const TransformerLayerConfig& config) {
  Parameters parameters;
  const EncoderLayer layer(parameters, "", config);
  begin(parameters);
  const Draw x(1, kX), dout(3, kX);
  AttentionOptions options;
  options.causal = Causal::kTopLeft;
  Cache cache;
  BitsHash hash;
  hash.add(layer.forward(x.view(), options, false, cache, {}));
  hash.add(layer.backward(x.view(), dout.view(), options, cache));
  return hash.add_gradients(parameters).text();
}

}  // namespace

TEST_CASE("layers give the golden bits") {
  const TransformerLayerConfig plain{{24, 3}, 40};
  CHECK(encoder_bits(plain) == kExpected.at("encoder_layer"));

  TransformerLayerConfig llama{{24, 6}, 40};
  llama.feed_forward = FeedForwardKind::kSwiglu;
  llama.norm = NormKind::kRms;
  llama.norm_first = true;
  llama.attention.bias = false;
  llama.attention.n_kv_heads = 2;
  llama.attention.rotary_base = 10000;
  llama.attention.rotary_pairs = RotaryPairs::kInterleaved;
  CHECK(encoder_bits(llama) == kExpected.at("llama"));

  Parameters parameters;
  const DecoderLayer layer(parameters, "", plain);
  begin(parameters);
  const Draw x(1, kX), memory(2, {2, 5, 24}), dout(3, kX);
  Cache cache;
  BitsHash hash;
  hash.add(layer.forward(x.view(), memory.view(), {}, true, cache, {}));
  const auto [dx, dmemory] = layer.backward(x.view(), dout.view(), {}, cache);
  CHECK(hash.add(dx).add(dmemory).add_gradients(parameters).text() == kExpected.at("decoder_layer"));
}

TEST_CASE("a model gives the golden bits, at once and token by token") {
  LanguageModelConfig config{13, 9, 2, {{24, 3}, 40}};
  Parameters parameters;
  const LanguageModel model(parameters, "", config);
  begin(parameters);
  const std::vector<int32_t> numbers{12, 0, 7, 7, 3, 1, 5};
  const IndexView ids(numbers.data(), {1, 7});
  const Draw dlogits(4, {1, 7, 13});
  Cache cache;
  BitsHash hash;
  hash.add(model.forward(ids, {}, false, cache, {true, 5, 2}));
  model.backward(ids, dlogits.view(), {}, cache);
  CHECK(hash.add_gradients(parameters).text() == kExpected.at("language_model"));

  KeyValueCache past = model.make_cache(1);
  BitsHash steps;
  for (const int32_t& id : numbers) steps.add(model.decode({&id, {1, 1}}, {}, past, cache));
  CHECK(steps.text() == kExpected.at("decode"));
}

TEST_CASE("positional encoding gives the golden bits") {
  std::vector<float> numbers(100 * 50);
  sinusoidal_encoding({numbers.data(), {100, 50}});
  CHECK(BitsHash().add(numbers.data(), 5000).text() == kExpected.at("positional_encoding"));
}

}  // namespace sqrtdk
