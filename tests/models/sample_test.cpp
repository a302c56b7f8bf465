#include "models/sample.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

int32_t drawn(const std::vector<float>& logits, const Sampling& sampling, int64_t position = 0) {
  return sample("op", {logits.data(), {static_cast<int64_t>(logits.size())}}, sampling, position);
}

// The probability of each token: sorted, cut, divided.
std::vector<double> probabilities(const std::vector<float>& logits, const Sampling& sampling) {
  std::vector<size_t> order(logits.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return logits[a] > logits[b]; });
  if (sampling.top_k > 0 && sampling.top_k < std::ssize(order))
    order.resize(static_cast<size_t>(sampling.top_k));
  std::vector<double> p(logits.size());
  const auto total = [&] { return std::accumulate(p.begin(), p.end(), 0.0); };
  for (const size_t i : order) p[i] = std::exp(static_cast<double>(logits[i]) / sampling.temperature);
  const double all = total();
  double sum = 0;
  for (const size_t i : order) {
    const bool enough = sampling.top_p < 1 && sum >= sampling.top_p * all;
    sum += p[i];
    if (enough) p[i] = 0;
  }
  const double kept = total();
  for (double& x : p) x /= kept;
  return p;
}

// Draws at many positions: each token's frequency lies within 4.5 standard errors of its probability.
void check_frequencies(const std::vector<float>& logits, const Sampling& sampling) {
  CAPTURE(sampling.temperature);
  CAPTURE(sampling.top_k);
  CAPTURE(sampling.top_p);
  constexpr int64_t kDraws = 40000;
  std::vector<double> counts(logits.size());
  for (int64_t i = 0; i < kDraws; ++i) ++counts[static_cast<size_t>(drawn(logits, sampling, i))];
  const std::vector<double> p = probabilities(logits, sampling);
  for (size_t i = 0; i < p.size(); ++i) {
    CAPTURE(i);
    const double error = std::sqrt(p[i] * (1 - p[i]) / kDraws);
    CHECK(std::fabs(counts[i] / kDraws - p[i]) <= 4.5 * error + 1e-12);
  }
}

const std::vector<float> kLogits{1, 0.5f, -1, 2, 0.5f, -3, 2, 1.5f};

}  // namespace

TEST_CASE("sample: frequencies are the probabilities, at every temperature and cut") {
  for (const double temperature : {0.3, 1.0, 4.0, 1e6}) {
    for (const int64_t top_k : {0, 1, 3, 8, 100}) {
      for (const double top_p : {1.0, 0.9, 0.5, 1e-9}) {
        check_frequencies(kLogits, {temperature, top_k, top_p, 7});
      }
    }
  }
}

TEST_CASE("sample: without a temperature, and among one, the most likely token, of equals the first") {
  const std::vector<float> last{0, 1, 3}, equal{1, 3, 3, 2, 3};
  for (int64_t position = 0; position < 200; ++position) {
    for (const std::vector<float>& logits : {kLogits, last, equal}) {
      const int32_t greedy = drawn(logits, {}, position);
      CHECK(greedy == std::max_element(logits.begin(), logits.end()) - logits.begin());
      CHECK(drawn(logits, {0, 3, 0.5, 9}, position) == greedy);
      CHECK(drawn(logits, {1.7, 1, 1, 9}, position) == greedy);
      CHECK(drawn(logits, {1.7, 0, 1e-12, 9}, position) == greedy);
    }
    CHECK(drawn(last, {1e-300, 0, 1, 9}, position) == 2);
  }
}

TEST_CASE("sample: of equal logits the first ones are kept") {
  const std::vector<float> equal(6, 1.0f);
  bool seen[6] = {};
  for (int64_t i = 0; i < 500; ++i) seen[drawn(equal, {1, 2, 1, 3}, i)] = true;
  CHECK(std::count(seen, seen + 2, true) == 2);
  CHECK(std::count(seen + 2, seen + 6, true) == 0);
  // A probability of exactly top_p is enough: two of four.
  const std::vector<float> four(4, 0.0f);
  for (int64_t i = 0; i < 500; ++i) CHECK(drawn(four, {1, 0, 0.5, 3}, i) < 2);
}

TEST_CASE("sample: a draw depends on the seed and the position, and on nothing before it") {
  std::vector<int32_t> first, again, other;
  for (int64_t i = 0; i < 200; ++i) first.push_back(drawn(kLogits, {1, 0, 1, 5}, i));
  for (int64_t i = 199; i >= 0; --i) again.push_back(drawn(kLogits, {1, 0, 1, 5}, i));
  for (int64_t i = 0; i < 200; ++i) other.push_back(drawn(kLogits, {1, 0, 1, 6}, i));
  std::reverse(again.begin(), again.end());
  CHECK(first == again);
  CHECK(first != other);
  first.resize(16);
  CHECK(first == std::vector<int32_t>{3, 2, 3, 1, 3, 6, 3, 0, 6, 6, 3, 6, 4, 6, 1, 6});  // everywhere
}

TEST_CASE("sample: a logit of -inf never comes, and one that is lost beside the largest does not either") {
  const std::vector<float> logits{-INFINITY, 0, -INFINITY, 1};
  for (int64_t i = 0; i < 500; ++i) CHECK(drawn(logits, {2, 0, 1, 1}, i) % 2 == 1);
  for (int64_t i = 0; i < 500; ++i) CHECK(drawn({0, 1000}, {1, 0, 1, 1}, i) == 1);
  CHECK(drawn({-INFINITY, -5}, {1, 0, 1, 1}) == 1);
  CHECK(drawn({3}, {1, 0, 1, 1}) == 0);
}

TEST_CASE("sample: logits that have no softmax are refused") {
  for (const std::vector<float>& logits :
       {std::vector<float>{1, NAN}, {NAN, 1}, {1, INFINITY}, {-INFINITY, -INFINITY}}) {
    const ValueError error = thrown_by<ValueError>([&] { drawn(logits, {1, 0, 1, 1}); });
    CHECK(error.code == ErrorCode::kNotFinite);
    CHECK(error.op == "op");
    CHECK(error.argument == "logits");
  }
}

TEST_CASE("sample: what is out of range is refused") {
  const auto argument = [](const Sampling& sampling) {
    return thrown_by<ValueError>([&] { check_sampling("op", sampling); }).argument;
  };
  for (const double temperature : {-1.0, -1e-300, double{NAN}, double{INFINITY}}) {
    CHECK(argument({temperature}) == "temperature");
  }
  CHECK(argument({1, -1}) == "top_k");
  for (const double top_p : {0.0, -0.5, 1.0000001, double{NAN}}) CHECK(argument({1, 0, top_p}) == "top_p");
  check_sampling("op", {0, 0, 1, ~uint64_t{0}});
}
