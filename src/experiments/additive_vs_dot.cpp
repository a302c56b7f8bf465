// Additive attention against the dot product: n²d² holds only where W q is computed anew for every pair.
// Projected once, the same bits take nd² + n²d operations, of which n²d are tanh.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/sort.h"
#include "experiments/registry.h"
#include "kernels/attention/additive_attention.h"
#include "kernels/attention/attention.h"
#include "lab/common_params.h"
#include "lab/sampling.h"
#include "lab/timing.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "additive_vs_dot";

enum Way { kNaive, kProjected, kDot };
constexpr const char* kWays[] = {"additive_naive", "additive_projected", "dot"};
constexpr size_t kNWays = std::size(kWays);
constexpr Role kRoles[kNWays] = {Role::kUnscaled, Role::kOther, Role::kScaled};

struct Size {
  int64_t n, d;
};

/// Additions, multiplications, divisions, maxima, exp and tanh of scores, softmax and sum of the values.
double operations(Way way, Size size) {
  const auto n = static_cast<double>(size.n), d = static_cast<double>(size.d);
  const double softmax = 5 * n * n, values = 2 * n * n * d;
  const double energies = 4 * n * n * d;  // addition, tanh, and the product with v
  const double scores = way == kDot     ? 2 * n * n * d + n * n
                        : way == kNaive ? n * n * 4 * d * d + energies
                                        : n * 4 * d * d + energies;
  return scores + softmax + values;
}

/// The sizes over n, then those over d; the common one once.
std::vector<Size> sizes_of(const Params& params) {
  std::vector<Size> sizes;
  for (const int64_t n : ascending(params.integers("n"))) sizes.push_back({n, params.integer("d_fixed")});
  for (const int64_t d : ascending(params.integers("d"))) {
    const bool is_there = std::any_of(sizes.begin(), sizes.end(), [&](const Size& size) {
      return size.n == params.integer("n_fixed") && size.d == d;
    });
    if (!is_there) sizes.push_back({params.integer("n_fixed"), d});
  }
  return sizes;
}

/// For each size the three ways, one after the other.
std::vector<TimedWork> plan(const std::vector<Size>& sizes) {
  std::vector<TimedWork> work;
  for (const Size& size : sizes) {
    for (const Way way : {kNaive, kProjected, kDot}) {
      work.push_back({.operations = operations(way, size), .pieces = way == kNaive ? size.n : 1, .run = {}});
    }
  }
  return work;
}

/// Random inputs of the largest size, of which smaller ones take the first numbers, and room for every
/// result.
class Room {
 public:
  Room(const std::vector<Size>& sizes, uint64_t seed) {
    int64_t pairs = 0, rows = 0, square = 0, width = 0, scratch = 0;
    for (const auto& [n, d] : sizes) {
      pairs = std::max(pairs, n * n), rows = std::max(rows, n * d), square = std::max(square, d * d);
      width = std::max(width, d);
      scratch = std::max(scratch, 4 * Arena::padded(n * d));
      for (Storage& out : outs_.emplace_back()) out = Storage(n * d);
    }
    uint64_t stream = 0;
    for (Storage* x : {&q_, &k_, &values_}) *x = drawn(seed, stream++, rows);
    const float unit = 1 / std::sqrt(static_cast<float>(width));  // so that few tanh are at their ends
    for (Storage* x : {&w_q_, &w_k_}) *x = drawn(seed, stream++, square, unit);
    v_ = drawn(seed, stream, width, unit);
    scores_ = Storage(pairs), weights_ = Storage(pairs), scratch_ = Arena(scratch);
  }

  /// The naive form, which computes every pair by itself, goes query by query.
  void run(Way way, Size size, size_t index, int64_t piece) {
    const auto [n, d] = size;
    const int64_t rows = way == kNaive ? 1 : n;
    const Shape side{n, d};
    const View scores{scores_.data(), {rows, n}}, weights{weights_.data(), {rows, n}},
        out{outs_[index][way].data() + piece * d, {rows, d}};
    const ConstView q{q_.data() + piece * d, {rows, d}}, k{k_.data(), side}, values{values_.data(), side};
    if (way == kDot) return attention_forward(q, k, values, {}, scores, weights, out);
    const AdditiveParameters parameters{{w_q_.data(), {d, d}}, {w_k_.data(), {d, d}}, {v_.data(), {d}}, {}};
    scratch_.reset();
    additive_attention_forward(way == kNaive ? AdditiveForm::kNaive : AdditiveForm::kProjected, q, k, values,
                               parameters, {}, scores, weights, out, scratch_);
  }

  /// Outputs of the two additive forms that are not the same bits.
  int64_t differing(size_t index) const {
    const Storage &naive = outs_[index][kNaive], &projected = outs_[index][kProjected];
    int64_t count = 0;
    for (int64_t i = 0; i < naive.size(); ++i) {
      count += std::memcmp(naive.data() + i, projected.data() + i, sizeof(float)) != 0;
    }
    return count;
  }

 private:
  static Storage drawn(uint64_t seed, uint64_t stream, int64_t count, float factor = 1) {
    Storage x(count);
    sample_standard({}, seed, stream, 0, x.data(), count);
    for (int64_t i = 0; i < count; ++i) x.data()[i] *= factor;
    return x;
  }
  Storage q_, k_, values_, w_q_, w_k_, v_, scores_, weights_;
  Arena scratch_{0};
  std::vector<std::array<Storage, kNWays>> outs_;
};

Series series(Way way) { return {.name = kWays[way], .role = kRoles[way]}; }

/// Those with a fixed d, over n, or with a fixed n, over d: their places in `sizes`, ascending.
std::vector<size_t> along(const std::vector<Size>& sizes, bool over_n, int64_t fixed) {
  std::vector<size_t> places;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if ((over_n ? sizes[i].d : sizes[i].n) == fixed) places.push_back(i);
  }
  heap_sort(places,
            [&](size_t a, size_t b) { return over_n ? sizes[a].n < sizes[b].n : sizes[a].d < sizes[b].d; });
  return places;
}

/// One chart of times and one of operations over n or d.
void add_figures(Result& result, const std::vector<Size>& sizes, const std::vector<Timing>& timings,
                 bool over_n, int64_t fixed) {
  const Labels at = {{over_n ? "d" : "n", fixed}};
  const auto figure = [&](const char* name, const char* y) {
    return Figure{.name = name, .at = at, .x = over_n ? "n" : "d", .y = y, .log_x = true, .log_y = true};
  };
  Figure time = figure(over_n ? "time_over_n" : "time_over_d", "milliseconds");
  Figure count = figure(over_n ? "work_over_n" : "work_over_d", "operations");
  for (const Way way : {kNaive, kProjected, kDot}) {
    Series times = series(way), counts = series(way);
    for (const size_t i : along(sizes, over_n, fixed)) {
      const int64_t size = over_n ? sizes[i].n : sizes[i].d;
      times.add(size, milliseconds(timings[i * kNWays + way]));
      counts.add(size, operations(way, sizes[i]));
    }
    Labels with = {{"way", kWays[way]}};
    with.push_back(at[0]);
    add_growth(result, over_n ? "operations_exponent_n" : "operations_exponent_d", with, counts);
    add_growth(result, over_n ? "time_exponent_n" : "time_exponent_d", with, times);
    time.series.push_back(std::move(times));
    count.series.push_back(std::move(counts));
  }
  result.add(std::move(time));
  result.add(std::move(count));
}

Result run(const Params& params, ProgressMeter& meter) {
  const std::vector<Size> sizes = sizes_of(params);
  std::vector<TimedWork> work = plan(sizes);
  meter.begin(timing_work(work, params.integer("rounds")));
  Room room(sizes, params.seed("seed"));
  for (size_t i = 0; i < work.size(); ++i) {
    work[i].run = [&room, &sizes, i](int64_t piece) {
      room.run(static_cast<Way>(i % kNWays), sizes[i / kNWays], i / kNWays, piece);
    };
  }
  const std::vector<Timing> timings = time_interleaved(work, params.integer("rounds"), meter);

  Result result;
  bool agree = true, compared = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Size size = sizes[i];
    const Labels at = {{"n", size.n}, {"d", size.d}};
    for (const Way way : {kNaive, kProjected, kDot}) {
      Labels with = at;
      with.add({"way", kWays[way]});
      const double count = operations(way, size);
      result.add("attention_operations", with, count);
      result.add(milliseconds(with, timings[i * kNWays + way]));
      if (way == kDot) continue;
      result.add("operations_of_dot", with, count / operations(kDot, size));
      result.add(ratio("time_of_dot", with, timings[i * kNWays + way], timings[i * kNWays + kDot]));
    }
    const int64_t differing = room.differing(i);
    result.add("differing_bits_of_forms", at, differing, 0);
    compared = compared || size.n > 1;
    agree = agree && differing == 0 &&
            (size.n == 1 || operations(kNaive, size) > operations(kProjected, size)) &&
            operations(kProjected, size) > operations(kDot, size);
  }
  add_figures(result, sizes, timings, true, params.integer("d_fixed"));
  add_figures(result, sizes, timings, false, params.integer("n_fixed"));
  add_clock(result);
  if (agree && !compared) {
    result.cannot_be_judged("nothing_compared");
  } else {
    result.judge(agree, "additive_needs_no_square", "additive_forms_differ");
  }
  return result;
}

constexpr Param kParams[] = {sizes_param("n", "8,16,32,64,128", 512),
                             int_param("d_fixed", "32", 1, 256),
                             sizes_param("d", "8,16,32,64,128", 256),
                             int_param("n_fixed", "32", 1, 512),
                             rounds_param("5"),
                             kSeedParam};

}  // namespace

const Experiment additive_vs_dot = {
    .id = kId,
    .question = "How much does additive attention cost, and what of that is needless?",
    .source = "article 4, section 3: the complexity of additive and dot-product attention",
    .group = Group::kRest,
    .chapter = 13,
    .params = kParams,
    .run = run,
    .timed = true,
    .words = {.verdicts = {"nothing_compared", "additive_needs_no_square", "additive_forms_differ"},
              .scalars = {"attention_operations", "milliseconds", "operations_of_dot", "time_of_dot",
                          "differing_bits_of_forms", "operations_exponent_n", "time_exponent_n",
                          "operations_exponent_d", "time_exponent_d", "clock_step"},
              .labels = {"n", "d", "way"},
              .figures = {"time_over_n", "work_over_n", "time_over_d", "work_over_d"},
              .axes = {"n", "milliseconds", "operations", "d"},
              .series = {"additive_naive", "additive_projected", "dot"}},
};

}  // namespace sqrtdk::experiments
