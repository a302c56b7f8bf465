#pragma once
// A number that counts what is done with it: each addition, subtraction, multiplication, division, maximum,
// exp and tanh.
#include <cmath>
#include <cstdint>
#include <vector>

namespace sqrtdk::test {

struct Counted {
  static inline int64_t count = 0;
  double value = 0.5;

  friend Counted operator+(Counted a, Counted b) { return ++count, Counted{a.value + b.value}; }
  friend Counted operator-(Counted a, Counted b) { return ++count, Counted{a.value - b.value}; }
  friend Counted operator*(Counted a, Counted b) { return ++count, Counted{a.value * b.value}; }
  friend Counted operator/(Counted a, Counted b) { return ++count, Counted{a.value / b.value}; }
};
inline Counted max(Counted a, Counted b) { return ++Counted::count, a.value < b.value ? b : a; }
inline Counted exp(Counted x) { return ++Counted::count, Counted{std::exp(x.value)}; }
inline Counted tanh(Counted x) { return ++Counted::count, Counted{std::tanh(x.value)}; }

using Numbers = std::vector<Counted>;

/// w x, of a square matrix.
inline Numbers product(const Numbers& w, const Numbers& x) {
  Numbers out;
  for (size_t i = 0; i < x.size(); ++i) {
    Counted sum{0};
    for (size_t j = 0; j < x.size(); ++j) sum = sum + w[i * x.size() + j] * x[j];
    out.push_back(sum);
  }
  return out;
}
inline Counted dot(const Numbers& a, const Numbers& b) {
  Counted sum{0};
  for (size_t i = 0; i < a.size(); ++i) sum = sum + a[i] * b[i];
  return sum;
}

/// Softmax of a row of scores, and the sum of as many values of d components.
inline void attend(const Numbers& scores, size_t d) {
  Counted largest{-1e30}, sum{0};
  for (const Counted& score : scores) largest = max(largest, score);
  Numbers weights;
  for (const Counted& score : scores) weights.push_back(exp(score - largest)), sum = sum + weights.back();
  for (Counted& weight : weights) weight = weight / sum;
  Numbers out(d);
  for (const Counted& weight : weights) {
    for (Counted& each : out) each = each + weight * Counted{};
  }
}

/// What a function does.
template <class Function>
double counted(Function function) {
  Counted::count = 0;
  function();
  return static_cast<double>(Counted::count);
}

/// Attention of n queries and keys of d components.
inline double dot_product_attention(size_t n, size_t d) {
  return counted([&] {
    for (size_t i = 0; i < n; ++i) {
      Numbers scores;
      for (size_t j = 0; j < n; ++j) scores.push_back(Counted{} * dot(Numbers(d), Numbers(d)));
      attend(scores, d);
    }
  });
}

}  // namespace sqrtdk::test
