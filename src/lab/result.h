#pragma once
// What an experiment gives: printed lines, measured numbers, charts and a verdict.
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "lab/names.h"
#include "lab/params.h"

namespace sqrtdk {

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// A number with its standard error.
struct Estimate {
  double value = kNone, se = kNone;
};

/// A measured number: mean over trials, its standard error, and what theory expects.
struct Scalar {
  Key name;  // where the reference has the figure: its name there, e.g. "softmax_max"
  Labels at;
  double value = kNone, se = kNone, expected = kNone;
  double std = kNone, p10 = kNone, p50 = kNone, p90 = kNone;  // over trials, where there is a distribution
};

/// Colours and marks follow from the role, not from the position.
enum class Role { kScaled, kUnscaled, kOther, kReference };
inline Role role_of(const Scale& scale) {
  if (scale.kind == Scale::Kind::kInverseSqrt) return Role::kScaled;
  return scale.kind == Scale::Kind::kNone ? Role::kUnscaled : Role::kOther;
}

struct Series {
  std::string name;  // e.g. "scaled", "1/sqrt(d)", "N(0, d)"
  Role role = Role::kOther;
  std::vector<double> x{}, y{}, y_se{};  // y_se empty or as long as y
  std::vector<double> low{}, high{};     // a band around y: both empty or as long as y

  void add(Number auto at, Number auto number) {
    x.push_back(static_cast<double>(at));
    y.push_back(static_cast<double>(number));
  }
  void add(Number auto at, Number auto number, double se) {
    add(at, number);
    y_se.push_back(se);
  }
  void add(Number auto at, const Estimate& estimate) { add(at, estimate.value, estimate.se); }
  void add(Number auto at, const Scalar& scalar) { add(at, scalar.value, scalar.se); }
};

/// A matrix as a map of colours. Names of rows and columns are shown as they are; without names, they are
/// numbered from 0.
struct Grid {
  int64_t n_rows = 0, n_cols = 0;
  std::vector<std::string> rows{}, cols{};
  std::vector<double> values{};  // row-major; kNone: masked, or not there
};

struct BarChart {};
struct LineChart {};
struct HistogramChart {};
struct HeatMap {
  Key z{};  // what the colours show; x: its columns, y: its rows
  Grid grid{};
};

/// A chart that the page can draw from this description alone.
struct Figure {
  Key name;  // e.g. "weights", "max_over_d"
  Labels at;
  std::variant<BarChart, LineChart, HistogramChart, HeatMap> kind = LineChart{};
  Key x, y;  // what the axes show: keys of the content's vocabulary, e.g. "key", "weight"
  bool log_x = false, log_y = false;
  double y_max = kNone;  // a fixed top of the axis (of the colours), e.g. 1 for probabilities
  std::vector<Series> series{};

  const HeatMap* heat_map() const { return std::get_if<HeatMap>(&kind); }  // nullptr of other charts
  const Grid& grid() const { return std::get<HeatMap>(kind).grid; }
  Grid& grid() { return std::get<HeatMap>(kind).grid; }
};

/// What was computed says of the precise statement: it agrees, or not, or nothing could tell it from chance
/// or was there to be compared.
enum class Holds { kNo, kYes, kCannotBeJudged };

struct Result {
  std::vector<std::string> lines;  // printed lines in the article's own format
  std::vector<Scalar> printed;  // numbers of these lines that a view shows too; hashed as the lines have them
  std::vector<Scalar> scalars;
  std::vector<Figure> figures;
  Holds holds = Holds::kYes;  // the verdict
  Key verdict;                // key of the content's vocabulary, e.g. "variance_is_d"; the reason, where
                              // nothing can be judged
  bool timed = false;         // has times of the device it ran on: no two runs are the same

  /// Sets the verdict.
  void judge(bool agrees, const char* yes, const char* no) {
    holds = agrees ? Holds::kYes : Holds::kNo;
    verdict = agrees ? yes : no;
  }
  void cannot_be_judged(const char* reason) {
    holds = Holds::kCannotBeJudged;
    verdict = reason;
  }

  /// What was added, until something else is.
  Scalar& add(Scalar scalar);
  Figure& add(Figure figure);
  Scalar& add(Key name, const Labels& at, Estimate estimate, double expected = kNone);
  Scalar& add(Key name, const Labels& at, Number auto value, double expected = kNone) {
    return add(name, at, Estimate{static_cast<double>(value)}, expected);
  }
  /// Mean with its standard error, standard deviation and quantiles over trials.
  Scalar& add(Key name, const Labels& at, std::vector<double> sample);
};

/// 16 hex digits over every name and every bit of every number (NaNs canonical): the golden values.
std::string result_hash(const Result& result);

}  // namespace sqrtdk
