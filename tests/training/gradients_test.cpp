#include "training/gradients.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "reference/compare.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

double plain_norm(const std::vector<float>& x) {
  double sum = 0;
  for (const float value : x) sum += static_cast<double>(value) * value;
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("norm_of is the norm, at every length and alignment") {
  Draws draws(1);
  for (int64_t n = 0; n <= 33; ++n) {
    const std::vector<float> numbers = draws.normals(n);
    const double exact = plain_norm(numbers);
    for (int64_t shift = 0; shift < 4; ++shift) {
      GuardedBuffer x(numbers, shift);
      const std::span<const float> span(x.data(), static_cast<size_t>(n));
      CHECK(std::fabs(norm_of(span) - exact) <= 1e-15 * exact * 4);
      CHECK(norm_of(span) == norm_of(numbers));
      CHECK(all_finite(span));
    }
  }
  const std::vector<float> huge(100, std::numeric_limits<float>::max());
  CHECK(norm_of(huge) == doctest::Approx(3.4028235e39));
  const std::vector<float> tiny(4, 1e-45f);
  CHECK(norm_of(tiny) == doctest::Approx(2 * 0x1p-149).scale(0));
}

TEST_CASE("what is not finite is found wherever it is") {
  for (size_t n = 1; n <= 17; ++n) {
    for (size_t i = 0; i < n; ++i) {
      for (const float wrong : {NAN, INFINITY, -INFINITY}) {
        std::vector<float> x(n, 1.0f);
        x[i] = wrong;
        CHECK_FALSE(all_finite(x));
        CHECK_FALSE(std::isfinite(norm_of(x)));
      }
    }
  }
}

TEST_CASE("clip_gradients scales to the norm, as clip_grad_norm_ does") {
  Block block(37);
  const std::vector<float> before = block.gradients();
  const double norm = plain_norm(before);
  CHECK(clip_gradients(block.parameters, 2 * norm) == doctest::Approx(norm).epsilon(1e-14));
  CHECK(same_bits(block.gradients(), before));

  CHECK(clip_gradients(block.parameters, 0.5) == doctest::Approx(norm).epsilon(1e-14));
  std::vector<double> expected;
  for (const float g : before) expected.push_back(g * 0.5 / (norm + 1e-6));
  CHECK(compare(block.gradients(), expected).ulp < 1.5);

  Block zeros(5);
  zeros.parameters.clear_gradients();
  CHECK(clip_gradients(zeros.parameters, 1) == 0);
  CHECK(same_bits(zeros.gradients(), {0, 0, 0, 0, 0}));
}

TEST_CASE("the 1e-6 of clip_gradients shows where norms are small") {
  Block block(2);
  block.parameters.gradients()[0] = 3e-6f, block.parameters.gradients()[1] = 4e-6f;
  clip_gradients(block.parameters, 1e-6);
  CHECK(block.gradients()[0] == doctest::Approx(3e-6 / 6).epsilon(1e-6).scale(0));
}

TEST_CASE("clip_gradients leaves gradients that are not finite") {
  for (const float wrong : {NAN, INFINITY}) {
    Block block(9);
    block.parameters.gradients()[4] = wrong;
    const std::vector<float> before = block.gradients();
    CHECK_FALSE(std::isfinite(clip_gradients(block.parameters, 0.1)));
    CHECK(same_bits(block.gradients(), before));
  }
  Block block(4);
  for (const double wrong : {0.0, -1.0, static_cast<double>(NAN)}) {
    CHECK_THROWS_AS(clip_gradients(block.parameters, wrong), ValueError);
  }
}
