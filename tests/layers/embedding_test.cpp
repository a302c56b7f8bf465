#include "layers/embedding.h"

#include <doctest/doctest.h>

#include "base/errors.h"
#include "reference/layer_checks.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("Embedding: rows of its table, and their gradients") {
  Parameters parameters;
  const Embedding embedding(parameters, "embedding", 5, 3);
  CHECK(parameters.list()[0].name == "embedding.weight");
  CHECK(parameters.shape(embedding.weight()) == Shape{5, 3});
  parameters.allocate();
  fill_normals(parameters.values(), 1);
  const std::vector<int32_t> ids{4, 0, 2, 2, 0, 2};
  const IndexView view(ids.data(), {2, 3});
  Cache cache;
  const View out = embedding.forward(view, cache);
  CHECK(out.shape == Shape{2, 3, 3});
  CHECK(cache.at("embedding.out").data == out.data);
  const std::vector<float> table = values_of(parameters.value(0)), dout = Draws(2).normals(18);
  std::vector<double> expected(15);
  for (size_t i = 0; i < ids.size(); ++i) {
    for (size_t j = 0; j < 3; ++j) {
      const size_t at = static_cast<size_t>(ids[i]) * 3 + j;
      CHECK(out.data[i * 3 + j] == table[at]);
      expected[at] += 2 * static_cast<double>(dout[i * 3 + j]);
    }
  }
  embedding.backward(view, {dout.data(), {2, 3, 3}});
  embedding.backward(view, {dout.data(), {2, 3, 3}});  // adds
  CHECK(compare(values_of(parameters.gradient(0)), expected).absolute <= 6 * 0x1p-24 * max_abs(expected));
}

TEST_CASE("Embedding: one id, and none") {
  Parameters parameters;
  const Embedding embedding(parameters, "e", 2, 4);
  parameters.allocate();
  const int32_t one = 1;
  Cache cache;
  CHECK(embedding.forward({&one, Shape{}}, cache).shape == Shape{4});
  CHECK(embedding.forward({nullptr, {3, 0}}, cache).shape == Shape{3, 0, 4});
  embedding.backward({nullptr, {0}}, {nullptr, {0, 4}});
}

TEST_CASE("Embedding: an id that is no row, and gradients that do not fit") {
  Parameters parameters;
  const Embedding embedding(parameters, "e", 2, 4);
  parameters.allocate();
  const int32_t ids[] = {0, 2}, good[] = {0, 1};
  const std::vector<float> dout(8, 1.0f);
  Cache cache;
  CHECK_THROWS_WITH_AS(embedding.forward({ids, {2}}, cache), "embedding: ids must be in 0 .. 1, got 2",
                       ValueError);
  CHECK_THROWS_AS(embedding.backward({ids, {2}}, {dout.data(), {2, 4}}), ValueError);
  CHECK_THROWS_AS(embedding.backward({good, {2}}, {dout.data(), {4, 2}}), ShapeError);
  CHECK_THROWS_AS(embedding.forward({good, {2, 1, 1, 1, 1, 1}}, cache), ShapeError);
  for (const float gradient : parameters.gradients()) CHECK(gradient == 0);
}
