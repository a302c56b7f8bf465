#include "experiments/similarity_measures/similarity_scores.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "lab/sampling.h"

namespace sqrtdk {
namespace {

TEST_CASE("similarity_scores: each way's scores against plain doubles") {
  for (const auto& [n_q, n_k, d] :
       {std::array<int64_t, 3>{1, 1, 1}, {3, 5, 2}, {4, 8, 7}, {6, 9, 16}, {2, 3, 33}}) {
    std::vector<float> q(static_cast<size_t>(n_q * d)), k(static_cast<size_t>(n_k * d));
    sample_standard({}, 3, 0, 0, q.data(), n_q * d);
    sample_standard({}, 3, 1, 0, k.data(), n_k * d);
    std::vector<float> scores[4];
    for (size_t way = 0; way < 4; ++way) {
      scores[way].resize(static_cast<size_t>(n_q * n_k));
      std::vector<float> squares(static_cast<size_t>(n_q + n_k));
      similarity_scores(static_cast<SimilarityWay>(way), {q.data(), {n_q, d}}, {k.data(), {n_k, d}},
                        {scores[way].data(), {n_q, n_k}}, {squares.data(), {n_q + n_k}});
    }
    for (int64_t i = 0; i < n_q; ++i) {
      for (int64_t j = 0; j < n_k; ++j) {
        double dot = 0, qq = 0, kk = 0, distance = 0;
        for (int64_t c = 0; c < d; ++c) {
          const auto a = static_cast<double>(q[static_cast<size_t>(i * d + c)]);
          const auto b = static_cast<double>(k[static_cast<size_t>(j * d + c)]);
          dot += a * b, qq += a * a, kk += b * b, distance += (a - b) * (a - b);
        }
        const double expected[] = {dot, dot / std::sqrt(qq * kk), distance, distance};
        const double unit[] = {std::sqrt(qq * kk), 1, qq + kk, qq + kk};
        for (size_t way = 0; way < 4; ++way) {
          const auto got = static_cast<double>(scores[way][static_cast<size_t>(i * n_k + j)]);
          CHECK(std::fabs(got - expected[way]) < 2e-6 * unit[way]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sqrtdk
