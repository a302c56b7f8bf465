#include <cstring>

#include "experiments/experiment.h"

namespace sqrtdk {
namespace {

// FNV-1a, 64 bits. Every list and every text is preceded by its length, so that no two results share
// one sequence of bytes.
class Hash {
 public:
  void add(uint64_t bits) {
    for (int shift = 0; shift < 64; shift += 8) byte(static_cast<uint8_t>(bits >> shift));
  }
  void add(double x) {
    uint64_t bits = 0x7ff8000000000000;
    if (!std::isnan(x)) std::memcpy(&bits, &x, sizeof bits);
    add(bits);
  }
  void add(const std::string& text) {
    add(uint64_t{text.size()});
    for (const char c : text) byte(static_cast<uint8_t>(c));
  }
  void add(const Labels& labels) {
    add(uint64_t{labels.size()});
    for (const auto& [name, value] : labels) {
      add(name);
      add(value);
    }
  }
  void add(const std::vector<double>& values) {
    add(uint64_t{values.size()});
    for (const double x : values) add(x);
  }
  std::string hex() const {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(state_ >> shift) & 15];
    return text;
  }

 private:
  void byte(uint8_t b) { state_ = (state_ ^ b) * 0x100000001b3; }
  uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace

std::string result_hash(const Result& result) {
  Hash hash;
  hash.add(uint64_t{result.lines.size()});
  for (const std::string& line : result.lines) hash.add(line);
  hash.add(uint64_t{result.scalars.size()});
  for (const Scalar& scalar : result.scalars) {
    hash.add(scalar.name);
    hash.add(scalar.at);
    for (const double x :
         {scalar.value, scalar.se, scalar.expected, scalar.std, scalar.p10, scalar.p50, scalar.p90}) {
      hash.add(x);
    }
  }
  hash.add(uint64_t{result.figures.size()});
  for (const Figure& figure : result.figures) {
    hash.add(figure.name);
    hash.add(figure.at);
    hash.add(static_cast<uint64_t>(figure.kind));
    hash.add(figure.x);
    hash.add(figure.y);
    hash.add(uint64_t{figure.log_x});
    hash.add(uint64_t{figure.log_y});
    hash.add(figure.y_max);
    hash.add(uint64_t{figure.series.size()});
    for (const Series& series : figure.series) {
      hash.add(series.name);
      hash.add(static_cast<uint64_t>(series.role));
      hash.add(series.x);
      hash.add(series.y);
      hash.add(series.y_se);
    }
  }
  hash.add(uint64_t{result.holds});
  hash.add(result.verdict);
  return hash.hex();
}

}  // namespace sqrtdk
