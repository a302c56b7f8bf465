#include "training/schedule.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"

using namespace sqrtdk;

TEST_CASE("without steps the learning rate is constant") {
  for (const int64_t step : {0, 1, 1000000}) CHECK(learning_rate_at({}, 0.1, step) == 0.1);
}

TEST_CASE("the warm-up is linear and ends at the peak") {
  const Schedule schedule{.warmup_steps = 4};
  for (int64_t step = 0; step < 4; ++step) {
    CHECK(learning_rate_at(schedule, 2, step) == doctest::Approx(0.5 * static_cast<double>(step + 1)));
  }
  CHECK(learning_rate_at(schedule, 2, 4) == 2);
  CHECK(learning_rate_at(schedule, 2, 400) == 2);
}

TEST_CASE("then half a cosine leads down to the last learning rate") {
  const Schedule schedule{10, 110, 0.1};
  for (int64_t step = 10; step <= 110; ++step) {
    const double share = (1 + std::cos(3.14159265358979323846 * static_cast<double>(step - 10) / 100)) / 2;
    CHECK(learning_rate_at(schedule, 3, step) == doctest::Approx(3 * (0.1 + 0.9 * share)).epsilon(1e-14));
  }
  CHECK(learning_rate_at(schedule, 3, 10) == 3);
  CHECK(learning_rate_at(schedule, 3, 60) == doctest::Approx(3 * 0.55));
  CHECK(learning_rate_at(schedule, 3, 1000) == doctest::Approx(0.3));
  CHECK(learning_rate_at({5, 5, 0}, 1, 4) == 1);
  CHECK(learning_rate_at({5, 5, 0}, 1, 5) == 0);
}

TEST_CASE("invalid schedules are refused") {
  check_schedule({});
  check_schedule({5, 5, 1});
  CHECK_THROWS_AS(check_schedule({-1, 0, 0}), ValueError);
  CHECK_THROWS_AS(check_schedule({5, 4, 0}), ValueError);
  CHECK_THROWS_AS(check_schedule({0, -4, 0}), ValueError);
  for (const double wrong : {-0.1, 1.1, static_cast<double>(NAN)}) {
    CHECK_THROWS_AS(check_schedule({0, 0, wrong}), ValueError);
  }
}
