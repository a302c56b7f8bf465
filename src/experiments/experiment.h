#pragma once
// What an experiment is: one claim made checkable. To add one:
//   1. src/experiments/<id>.cpp defines `const Experiment <id>` in namespace sqrtdk::experiments;
//   2. tests/experiments/<id>_test.cpp asserts its claim with its standard error;
//   3. one line in experiments.inc registers it.
// Sliders, charts, tables and exports of the page, the native command and the JavaScript API follow
// from the description; title and prose are web/content/{en,zh}/<id>.md.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // "not given"

enum class ParamType {
  kInt,        // "8"
  kIntList,    // "32,128,512"
  kReal,       // "0.5"
  kChoice,     // one of `choices`
  kScaleList,  // scales, comma separated: none, 1/sqrt(d), 1/(2*sqrt(d)), 1/d, a number, or of `choices`
  kSeed,       // unsigned 64-bit, decimal
  kMatrix,  // the reader's own numbers: rows separated by ';' or newline, columns by ','; empty = not given
  kText,    // the reader's own words, at most max_count bytes of UTF-8
  kFile,    // the reader's own file in Base64, at most max_count bytes; empty = not given. In no link.
};

/// A parameter's text form is the same on the command line, in a URL, in an element's attribute and in
/// JavaScript; it is parsed and checked in one place, `Params::parse`.
struct Param {
  const char* name;
  ParamType type;
  const char* default_value;
  double min = kNone, max = kNone;         // of each number
  size_t max_count = 1;                    // of a list
  std::span<const char* const> choices{};  // of a kChoice; further names of a kScaleList, e.g. "learned"
  const char* group = "";                  // "" is shown at once; others are folded, e.g. "model"
};

/// Named settings: these parameters, and the defaults of all others.
struct Preset {
  const char* name;
  std::span<const std::pair<const char*, const char*>> texts;
};

/// A factor on q·k that may depend on d, e.g. "1/sqrt(d)"; or a name that only its experiment understands.
struct Scale {
  std::string name;           // canonical text
  float at(int64_t d) const;  // NaN of such a name
  bool operator==(const Scale&) const = default;

 private:
  friend Scale parse_scale(const std::string& op, const std::string& text,
                           std::span<const char* const> further);
  int kind = 0;
  float number = 1;
};
/// Throws ValueError.
Scale parse_scale(const std::string& op, const std::string& text, std::span<const char* const> further = {});

struct Matrix {
  int64_t rows = 0, cols = 0;
  std::vector<float> values;  // row-major
};

/// The checked values of one run.
class Params {
 public:
  /// Missing names take their defaults. Throws ValueError (unknown name, value out of range, ...).
  static Params parse(const std::string& op, std::span<const Param> description,
                      const std::map<std::string, std::string>& text);
  int64_t integer(const std::string& name) const;
  const std::vector<int64_t>& integers(const std::string& name) const;
  double real(const std::string& name) const;
  const std::string& choice(const std::string& name) const;
  const std::vector<Scale>& scales(const std::string& name) const;
  uint64_t seed(const std::string& name) const;
  const Matrix* matrix(const std::string& name) const;  // nullptr where not given
  const std::string& words(const std::string& name) const;
  std::span<const uint8_t> file(const std::string& name) const;  // empty where not given
  /// (name, canonical text) in the order of the description; of a file its size and hash.
  const std::vector<std::pair<std::string, std::string>>& text() const { return text_; }

 private:
  struct Value {
    std::vector<int64_t> integers;
    std::vector<Scale> scales;
    std::string choice, words;
    double real = 0;
    uint64_t seed = 0;
    std::optional<Matrix> matrix;
    std::vector<uint8_t> file;
  };
  std::map<std::string, Value> values_;
  std::vector<std::pair<std::string, std::string>> text_;
};

/// Called with the share done, 0..1, at least every few milliseconds of work; false cancels the run
/// (throws Cancelled). May be empty.
using Progress = std::function<bool(double)>;

using Labels = std::vector<std::pair<std::string, std::string>>;  // {{"d", "32"}, {"scale", "none"}}

/// A measured number: mean over trials, its standard error, and what theory expects.
struct Scalar {
  std::string name;  // where the reference has the figure: its name there, e.g. "softmax_max"
  Labels at;
  double value = kNone, se = kNone, expected = kNone;
  double std = kNone, p10 = kNone, p50 = kNone, p90 = kNone;  // over trials, where there is a distribution
};

/// Colours and marks follow from the role, not from the position.
enum class Role { kScaled, kUnscaled, kOther, kReference };
Role role_of(const Scale& scale);  // 1/sqrt(d) is scaled, none is unscaled

struct Series {
  std::string name;  // e.g. "scaled", "1/sqrt(d)", "N(0, d)"
  Role role = Role::kOther;
  std::vector<double> x{}, y{}, y_se{};  // y_se empty or as long as y
  std::vector<double> low{}, high{};     // a band around y: both empty or as long as y
};

enum class FigureKind { kBars, kLines, kHistogram, kHeatmap };

/// A matrix as a map of colours. Names of rows and columns are shown as they are; without names, they are
/// numbered from 0.
struct Grid {
  int64_t n_rows = 0, n_cols = 0;
  std::vector<std::string> rows{}, cols{};
  std::vector<double> values{};  // row-major; kNone: masked, or not there
};

/// A chart that the page can draw from this description alone.
struct Figure {
  std::string name;  // e.g. "weights", "max_over_d"
  Labels at;
  FigureKind kind = FigureKind::kLines;
  std::string x, y;  // what the axes show: keys of the content's vocabulary, e.g. "key", "weight"
  std::string z{};   // what the colours of a heat map show; x: its columns, y: its rows
  bool log_x = false, log_y = false;
  double y_max = kNone;  // a fixed top of the axis (of the colours), e.g. 1 for probabilities
  std::vector<Series> series{};
  Grid grid{};  // of a heat map
};

struct Result {
  std::vector<std::string> lines;  // printed lines in the article's own format
  std::vector<Scalar> scalars;
  std::vector<Figure> figures;
  bool holds = true;    // the verdict: what was computed agrees with the precise statement
  std::string verdict;  // key of the content's vocabulary, e.g. "variance_is_d"
  bool timed = false;   // has times of the device it ran on: no two runs are the same
};

/// 16 hex digits over every name and every bit of every number (NaNs canonical): the golden values.
std::string result_hash(const Result& result);

struct Experiment {
  const char* id;
  const char* question;  // English, one line
  const char* source;    // e.g. "article 1, runnable example"
  std::span<const Param> params;
  Result (*run)(const Params&, const Progress&);
  /// Estimated random draws of a run: the page runs small ones at once and others in a worker.
  double (*work)(const Params&);
  std::span<const Preset> presets{};
  bool timed = false;  // every result is
};

const std::vector<const Experiment*>& all_experiments();   // in the articles' order
const Experiment& find_experiment(const std::string& id);  // throws ValueError naming the known ids
/// Throws ValueError naming the experiment's presets.
const Preset& find_preset(const Experiment& experiment, const std::string& name);

struct Run {  // a finished run with its checked parameters
  const Experiment* experiment;
  Params params;
  Result result;
};
Run run_experiment(const std::string& id, const std::map<std::string, std::string>& params,
                   const Progress& progress = {});

/// The one JSON form of descriptions and results, for the command, the page and JavaScript.
/// Numbers with 17 digits (exact), NaN as null, infinities as 1e999.
std::string describe_json(const Experiment& experiment);
std::string describe_all_json();
std::string run_json(const Run& run);

namespace experiments {
#define EXPERIMENT(id, module) extern const Experiment id;
#include "experiments/experiments.inc"
#undef EXPERIMENT
}  // namespace experiments

}  // namespace sqrtdk
