#include "layers/token_embedding.h"

#include <doctest/doctest.h>

#include "layers/positional_encoding.h"
#include "reference/layer_checks.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("TokenEmbedding: scaled rows of its table, then positions, and the gradients of both") {
  const int64_t vocab = 5, context = 4, d_model = 6, n = 3;
  const std::vector<int32_t> ids{4, 0, 2, 2, 0, 2};
  std::vector<float> encoding(static_cast<size_t>(context * d_model));
  sinusoidal_encoding({encoding.data(), {context, d_model}});
  for (const Positions positions :
       {Positions::kNone, Positions::kSinusoidal, Positions::kLearned, Positions::kRotary}) {
    for (const bool scaled : {false, true}) {
      CAPTURE(static_cast<int>(positions));
      CAPTURE(scaled);
      const bool learned = positions == Positions::kLearned, fixed = positions == Positions::kSinusoidal;
      const float factor = scaled ? 2.4494898f : 1;  // sqrt(6)
      Parameters parameters;
      const TokenEmbedding layer(parameters, "", {vocab, context, d_model, positions, scaled});
      REQUIRE(parameters.list().size() == (learned ? 2 : 1));
      CHECK(parameters.list()[0].name == "embedding.weight");
      parameters.allocate();
      fill_normals(parameters.values(), 1);
      const std::vector<float> table = values_of(parameters.value(layer.weight()));
      const std::vector<float> places = learned ? values_of(parameters.value(1)) : encoding;

      Cache cache;
      for (const int64_t first : {0, 1}) {
        const View x = layer.forward({ids.data(), {2, n}}, first, "x", cache);
        REQUIRE(x.shape == Shape{2, n, d_model});
        for (int64_t i = 0; i < x.shape.size(); ++i) {
          const int64_t token = i / d_model, column = i % d_model;
          const float scaled_row =
              table[static_cast<size_t>(ids[static_cast<size_t>(token)] * d_model + column)] * factor;
          const float place = places[static_cast<size_t>((first + token % n) * d_model + column)];
          CHECK(x.data[i] == (learned || fixed ? scaled_row + place : scaled_row));
        }
      }

      std::vector<float> dx = Draws(2).normals(2 * n * d_model);
      std::vector<double> dtable(table.size()), dplaces(places.size());
      for (size_t i = 0; i < dx.size(); ++i) {
        const size_t token = i / d_model, column = i % d_model;
        dtable[static_cast<size_t>(ids[token]) * d_model + column] += static_cast<double>(factor * dx[i]);
        dplaces[token % n * d_model + column] += static_cast<double>(dx[i]);
      }
      layer.backward({ids.data(), {2, n}}, {dx.data(), {2, n, d_model}});
      const auto agrees = [&](int index, const std::vector<double>& expected) {
        const double off = compare(values_of(parameters.gradient(index)), expected).absolute;
        CHECK(off <= 3 * 0x1p-24 * max_abs(expected));
      };
      agrees(layer.weight(), dtable);
      if (learned) agrees(1, dplaces);
    }
  }
}
