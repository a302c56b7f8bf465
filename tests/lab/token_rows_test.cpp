#include "lab/token_rows.h"

#include <doctest/doctest.h>

#include <set>

namespace sqrtdk {
namespace {

TEST_CASE("token_rows: a random cycle moves everything, and each seed's is another") {
  std::set<std::vector<int64_t>> all;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<int64_t> order = random_cycle(seed, 9);
    int64_t at = 0;
    for (int step = 1; step < 9; ++step) {
      at = order[static_cast<size_t>(at)];
      CHECK(at != 0);
    }
    CHECK(order[static_cast<size_t>(at)] == 0);  // back only after all nine
    all.insert(order);
  }
  CHECK(all.size() > 45);  // of 8! = 40320
  CHECK(random_cycle(1, 1) == std::vector<int64_t>{0});
  CHECK(random_cycle(1, 2) == std::vector<int64_t>{1, 0});
}

TEST_CASE("token_rows: rows in another order, axes swapped, differences") {
  Tensor x({2, 3, 2});
  for (size_t i = 0; i < 12; ++i) x.values[i] = static_cast<float>(i);
  CHECK(permuted_rows(x.view(), {2, 0, 1}).values ==
        std::vector<float>{4, 5, 0, 1, 2, 3, 10, 11, 6, 7, 8, 9});
  const Tensor swapped = swapped_axes(x.view());
  CHECK(swapped.shape == Shape{3, 2, 2});
  CHECK(swapped.values == std::vector<float>{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11});
  CHECK(swapped_axes(swapped.view()).values == x.values);

  Tensor y = x;
  CHECK(relative_difference(x.view(), y.view()) == 0);
  CHECK(n_different(x.view(), y.view()) == 0);
  y.values[3] = 2.5f;
  y.values[0] = -0.0f;  // equal, with other bits
  CHECK(relative_difference(x.view(), y.view()) == 0.5 / 11);
  CHECK(n_different(x.view(), y.view()) == 2);
}

}  // namespace
}  // namespace sqrtdk
