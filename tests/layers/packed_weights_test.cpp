// Weights packed for inference: no bit changes, and no packed weight outlives the values it was made from.
#include <array>
#include <cmath>

#include "base/errors.h"
#include "layers/layer_case.h"
#include "layers/transformer.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

struct Layer {
  Layer(int64_t n_in, int64_t n_out, bool bias = true) : linear(parameters, "l", n_in, n_out, bias) {
    draw(parameters, 5);
  }
  std::vector<float> run(ConstView x) { return numbers(linear.forward(x, cache)); }
  bool packed() const { return parameters.packed(0) != nullptr; }
  Parameters parameters;
  Cache cache;
  Linear linear;
};

}  // namespace

TEST_CASE("packed weights: the same bits, for any number of rows and columns") {
  for (int64_t n_out = 1; n_out <= 33; ++n_out) {
    for (const int64_t n_in : {1, 7, 32, 65, 300}) {
      Layer layer(n_in, n_out, n_out % 2 == 0);
      for (const int64_t rows : {0, 1, 2, 3, 4, 17}) {
        const Input x({rows, n_in}, 2);
        const std::vector<float> before = layer.run(x.view());
        layer.parameters.pack();
        REQUIRE(layer.packed());
        CHECK(same_bits(layer.run(x.view()), before));
        REQUIRE(layer.packed());
        layer.parameters.values();
        REQUIRE(!layer.packed());
      }
    }
  }
}

TEST_CASE("packed weights: rows of shared parameters, which begin anywhere") {
  Parameters parameters;
  const int weight = parameters.add("w", {23, 40}), bias = parameters.add("b", {23});
  const std::array<Linear, 3> layers{Linear(parameters, "q", {weight, 0}, {bias, 0}, 9),
                                     Linear(parameters, "k", {weight, 9}, {bias, 9}, 8),
                                     Linear(parameters, "v", {weight, 17}, {bias, 17}, 6)};
  draw(parameters, 5);
  const Input x({6, 40}, 1);
  Cache cache;
  std::vector<std::vector<float>> before;
  for (const Linear& layer : layers) before.push_back(numbers(layer.forward(x.view(), cache)));
  parameters.pack();
  for (size_t i = 0; i < 3; ++i) CHECK(same_bits(numbers(layers[i].forward(x.view(), cache)), before[i]));
}

TEST_CASE("packed weights: whole layers keep their bits, and their packing through any number of passes") {
  TransformerLayerConfig config{{24, 3}, 40};
  for (const bool norm_first : {false, true}) {
    for (const bool swiglu : {false, true}) {
      config.norm_first = norm_first;
      config.feed_forward = swiglu ? FeedForwardKind::kSwiglu : FeedForwardKind::kGelu;
      config.attention.qk_norm = swiglu, config.attention.learned_scale = swiglu,
      config.attention.rotary_base = swiglu ? 100 : 0;
      Parameters parameters;
      const Transformer model(parameters, "", config, 2, 2);
      draw(parameters, 5);
      const Input source({2, 7, 24}, 1), target({2, 5, 24}, 2);
      Cache cache;
      for (const bool explain : {false, true}) {
        const auto run = [&] {
          return numbers(model.forward(source.view(), target.view(), {}, explain, cache, {}));
        };
        parameters.values();
        const std::vector<float> before = run();
        parameters.pack();
        for (int pass = 0; pass < 3; ++pass) {
          CHECK(same_bits(run(), before));
          CHECK(parameters.packed(0) != nullptr);
        }
      }
    }
  }
}

TEST_CASE("packed weights: a changed value is seen, whichever way it was changed") {
  Layer layer(16, 12);
  const Input x({3, 16}, 1), u({3, 12}, 2);
  const std::vector<float> before = layer.run(x.view());
  const auto change = [&](float* value) { *value = *value + 1; };
  const auto seen = [&](auto&& way) {
    layer.parameters.pack();
    const std::vector<float> packed = layer.run(x.view());
    REQUIRE(layer.packed());
    way();
    CHECK(!layer.packed());
    const std::vector<float> now = layer.run(x.view());
    CHECK_FALSE(same_bits(now, packed));
    layer.parameters.pack();
    CHECK(same_bits(layer.run(x.view()), now));
  };
  seen([&] { change(layer.parameters.value(0).data + 5); });
  seen([&] { change(layer.parameters.values().data() + 7); });
  // An optimizer that holds the values since long: gradients come between.
  const std::span<float> held = layer.parameters.values();
  seen([&] {
    layer.linear.backward(u.view(), layer.cache);
    change(held.data() + 9);
  });
  seen([&] {
    layer.parameters.gradients();
    change(held.data() + 11);
  });
  // A bias is not packed.
  layer.parameters.value(1).data[0] = 100;
  layer.parameters.pack();
  CHECK(std::fabs(layer.run(x.view())[0] - 100) < 20);
  CHECK_FALSE(same_bits(layer.run(x.view()), before));
}

TEST_CASE("packed weights: reading keeps them; packing twice and before there are values") {
  Layer layer(16, 12);
  layer.parameters.pack();
  const PackedWeights* const weights = layer.parameters.packed(0);
  const Parameters& read = layer.parameters;
  CHECK(read.value(0).shape == Shape{12, 16});
  CHECK(read.values().size() == 12 * 17);
  CHECK(read.gradients().size() == 12 * 17);
  CHECK(read.find("l.weight") == 0);
  layer.parameters.pack();
  CHECK(layer.parameters.packed(0) == weights);
  CHECK(weights->matrix.k == 16);
  CHECK(weights->matrix.n == 12);

  // A layer that comes later has no packed weights until the next time.
  const Linear late(layer.parameters, "late", {0, 3}, {}, 4);
  CHECK(!layer.packed());
  layer.parameters.pack();
  CHECK(layer.parameters.packed(1)->matrix.n == 4);

  Parameters none;
  const Linear linear(none, "l", 3, 2);
  CHECK_THROWS_AS(none.pack(), ValueError);
  CHECK(none.packed(0) == nullptr);
  none.allocate();
  none.pack();
  CHECK(none.packed(0) != nullptr);
  CHECK_THROWS_AS(none.add_matrix(7, 0, 1), ValueError);

  Parameters empty;
  empty.allocate();
  empty.pack();
  CHECK(empty.packed(0) == nullptr);
}

TEST_CASE("packed weights: in fewer bits, until another format is named") {
  Layer layer(40, 12);
  const Input x({3, 40}, 1);
  const std::vector<float> exact = layer.run(x.view());
  std::vector<std::vector<float>> all{exact};
  for (const WeightFormat format : {WeightFormat::kBf16, WeightFormat::kInt8}) {
    layer.parameters.pack(format);
    const std::vector<float> narrow = layer.run(x.view());
    for (const std::vector<float>& other : all) CHECK_FALSE(same_bits(narrow, other));
    all.push_back(narrow);
    layer.parameters.values();
    CHECK(!layer.packed());
    CHECK(same_bits(layer.run(x.view()), exact));
    layer.parameters.pack();
    CHECK(layer.parameters.format() == format);
    CHECK(same_bits(layer.run(x.view()), narrow));
  }
  layer.parameters.pack(WeightFormat::kF32);
  CHECK(same_bits(layer.run(x.view()), exact));
}
