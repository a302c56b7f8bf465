// Time and memory over the number of tokens: a recurrent layer, one step after the other; attention whose n ×
// n scores and weights can be seen; and attention by tiles, which has the same outputs in memory that grows
// with n.
#include <algorithm>
#include <cmath>

#include "experiments/registry.h"
#include "kernels/activation.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/tiled_attention.h"
#include "kernels/product/matmul.h"
#include "lab/sampling.h"
#include "lab/timing.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "attention_cost";
constexpr int64_t kRows = 256;   // queries of one piece of work
constexpr double kClose = 1e-4;  // of outputs of unit spread

enum Way { kRecurrent, kExplainable, kTiled };
constexpr const char* kWays[] = {"recurrent", "explainable", "tiled"};
constexpr size_t kNWays = std::size(kWays);
constexpr Role kRoles[kNWays] = {Role::kUnscaled, Role::kOther, Role::kScaled};

/// Additions, multiplications, divisions, maxima, exp and tanh. By tiles a few more: sums are brought to a
/// new maximum, tile by tile.
double operations(Way way, double n, double d) {
  return way == kRecurrent ? n * (4 * d * d + 2 * d) : 4 * n * n * d + 6 * n * n;
}

/// h_t = tanh(w_x x_t + w_h h_(t-1)), one step after the other; attention in any order.
double steps_in_order(Way way, double n) { return way == kRecurrent ? n : 1; }

int64_t tiled_scratch(int64_t n, int64_t d, int threads = 0) {
  const ConstView side{nullptr, {n, d}};
  return tiled_attention_forward_scratch(side, side, side, threads);
}

/// Floats between inputs and outputs, on one thread.
int64_t held(Way way, int64_t n, int64_t d) {
  return way == kRecurrent ? 2 * packed_size(d, d) : way == kExplainable ? 2 * n * n : tiled_scratch(n, d, 1);
}

/// For each n the three ways, one after the other.
std::vector<TimedWork> plan(const std::vector<int64_t>& lengths, int64_t d) {
  std::vector<TimedWork> work;
  for (const int64_t n : lengths) {
    for (const Way way : {kRecurrent, kExplainable, kTiled}) {
      work.push_back({.operations = operations(way, static_cast<double>(n), static_cast<double>(d)),
                      .pieces = way == kRecurrent ? 1 : (n + kRows - 1) / kRows,
                      .run = {}});
    }
  }
  return work;
}

/// Random inputs of the largest n, of which smaller ones take the first rows, and room for every result.
class Room {
 public:
  Room(const std::vector<int64_t>& lengths, int64_t d, uint64_t seed) : d_(d), zero_(d) {
    const int64_t n = lengths.back();
    uint64_t stream = 0;
    for (Storage* x : {&q_, &k_, &v_}) *x = drawn(seed, stream++, n * d);
    Storage w = drawn(seed, stream, 2 * d * d);
    for (int64_t i = 0; i < w.size(); ++i) w.data()[i] /= std::sqrt(static_cast<float>(2 * d));
    packed_ = Storage(2 * packed_size(d, d));
    w_x_ = pack_matrix({w.data(), {d, d}}, Transpose::kYes, packed_.data());
    w_h_ = pack_matrix({w.data() + d * d, {d, d}}, Transpose::kYes, packed_.data() + packed_size(d, d));
    scores_ = Storage(n * n), weights_ = Storage(n * n), scratch_ = Arena(tiled_scratch(n, d));
    for (int64_t i = 0; i < d; ++i) zero_.data()[i] = 0;
    for (const int64_t each : lengths) {
      for (Storage& out : outs_.emplace_back()) out = Storage(each * d);
    }
  }

  void run(Way way, int64_t n, size_t index, int64_t piece) {
    if (way == kRecurrent) return recur(n, outs_[index][way].data());
    const int64_t first = piece * kRows, rows = std::min(kRows, n - first);
    const ConstView q{q_.data() + first * d_, {rows, d_}}, k{k_.data(), {n, d_}}, v{v_.data(), {n, d_}};
    const View out{outs_[index][way].data() + first * d_, {rows, d_}};
    scratch_.reset();
    if (way == kTiled) return tiled_attention_forward(q, k, v, {}, out, {}, scratch_);
    attention_forward(q, k, v, {}, {scores_.data() + first * n, {rows, n}},
                      {weights_.data() + first * n, {rows, n}}, out);
  }

  /// The largest difference between the outputs of the two forms of attention.
  double difference(size_t index) const {
    const Storage &a = outs_[index][kExplainable], &b = outs_[index][kTiled];
    double largest = 0;
    for (int64_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, static_cast<double>(std::fabs(a.data()[i] - b.data()[i])));
    }
    return largest;
  }

  /// Root mean square of the state after the last step.
  double last_state(size_t index) const {
    const Storage& states = outs_[index][kRecurrent];
    double squares = 0;
    for (int64_t i = states.size() - d_; i < states.size(); ++i) {
      squares += static_cast<double>(states.data()[i]) * static_cast<double>(states.data()[i]);
    }
    return std::sqrt(squares / static_cast<double>(d_));
  }

 private:
  static Storage drawn(uint64_t seed, uint64_t stream, int64_t count) {
    Storage x(count);
    sample_standard({}, seed, stream, 0, x.data(), count);
    return x;
  }

  /// What does not wait for the step before is one product.
  void recur(int64_t n, float* h) {
    matmul_packed({q_.data(), {n, d_}}, w_x_, {h, {n, d_}});
    for (int64_t t = 0; t < n; ++t) {
      const View now{h + t * d_, {1, d_}};
      matmul_packed({t == 0 ? zero_.data() : h + (t - 1) * d_, {1, d_}}, w_h_, now, Write::kAccumulate);
      activation_forward(Activation::kTanh, now, now);
    }
  }

  int64_t d_;
  Storage q_, k_, v_, packed_, scores_, weights_, zero_;
  PackedMatrix w_x_{}, w_h_{};
  Arena scratch_{0};
  std::vector<std::array<Storage, kNWays>> outs_;
};

Series series(Way way) { return {.name = kWays[way], .role = kRoles[way]}; }

/// From equal outputs alone nothing follows about memory: it takes two n to see it grow.
void judge(Result& result, bool equal, size_t n_lengths) {
  if (!equal) return result.judge(false, "", "attention_forms_differ");
  if (n_lengths < 2) return result.cannot_be_judged("memory_nothing_compared");
  const auto power = [&](Way way) {
    const auto found = std::find_if(result.scalars.begin(), result.scalars.end(), [&](const Scalar& scalar) {
      return scalar.name == "bytes_exponent_n" && scalar.at.front().value == kWays[way];
    });
    return found->value;
  };
  result.judge(power(kTiled) < power(kExplainable), "memory_need_not_be_square", "memory_grows_alike");
}

Result run(const Params& params, ProgressMeter& meter) {
  const std::vector<int64_t> lengths = ascending(params.integers("n"));
  const int64_t d = params.integer("d"), rounds = params.integer("rounds");
  std::vector<TimedWork> work = plan(lengths, d);
  meter.begin(timing_work(work, rounds));
  Room room(lengths, d, params.seed("seed"));
  for (size_t i = 0; i < work.size(); ++i) {
    work[i].run = [&room, &lengths, i](int64_t piece) {
      room.run(static_cast<Way>(i % kNWays), lengths[i / kNWays], i / kNWays, piece);
    };
  }
  const std::vector<Timing> timings = time_interleaved(work, rounds, meter);

  Result result;
  const auto width = static_cast<double>(d);
  const Labels at_d = {{"d", d}};
  const auto figure = [&](const char* name, const char* y) {
    return Figure{.name = name, .at = at_d, .x = "n", .y = y, .log_x = true, .log_y = true};
  };
  Figure time = figure("time_over_n", "milliseconds"), bytes = figure("bytes_over_n", "bytes"),
         count = figure("work_over_n", "operations");
  for (const Way way : {kRecurrent, kExplainable, kTiled}) {
    Series times = series(way), sizes = series(way), counts = series(way);
    for (size_t i = 0; i < lengths.size(); ++i) {
      const auto n = static_cast<double>(lengths[i]);
      times.add(n, milliseconds(timings[i * kNWays + way]));
      sizes.add(n, 4 * static_cast<double>(held(way, lengths[i], d)));
      counts.add(n, operations(way, n, width));
      const Labels at = {{"n", lengths[i]}, {"d", d}, {"way", kWays[way]}};
      result.add(milliseconds(at, timings[i * kNWays + way]));
      result.add("bytes_between", at, sizes.y.back());
      result.add("attention_operations", at, counts.y.back());
      result.add("steps_in_order", at, steps_in_order(way, n));
    }
    Labels at = {{"way", kWays[way]}};
    at.insert(at.end(), at_d.begin(), at_d.end());
    add_growth(result, "time_exponent_n", at, times);
    add_growth(result, "bytes_exponent_n", at, sizes);
    add_growth(result, "operations_exponent_n", at, counts);
    time.series.push_back(std::move(times));
    bytes.series.push_back(std::move(sizes));
    count.series.push_back(std::move(counts));
  }
  count.series.pop_back();  // tiles: the same
  count.series.back().name = "either_attention";
  bool equal = true;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const Labels at = {{"n", lengths[i]}, {"d", d}};
    const double difference = room.difference(i);
    equal = equal && difference < kClose;
    result.add("forms_difference", at, difference, 0);
    result.add("last_state", at, room.last_state(i));
  }
  // 4 n²d + 6n² = n (4d² + 2d)
  result.add("equal_operations_n", at_d, (4 * width * width + 2 * width) / (4 * width + 6));
  add_clock(result);
  result.figures = {std::move(time), std::move(bytes), std::move(count)};
  judge(result, equal, lengths.size());
  return result;
}

constexpr Param kParams[] = {sizes_param("n", "32,64,128,256,512", 4096), int_param("d", "64", 1, 256),
                             rounds_param("9"), kSeedParam};

}  // namespace

const Experiment attention_cost = {
    .id = kId,
    .question = "What does attention cost when the text grows, and must its memory grow with the square?",
    .source = "article 5, complexity of recurrent networks and of attention; article 4, space complexity",
    .group = Group::kRest,
    .params = kParams,
    .run = run,
    .timed = true,
    .words = {.verdicts = {"memory_need_not_be_square", "attention_forms_differ", "memory_nothing_compared",
                           "memory_grows_alike"},
              .scalars = {"milliseconds", "bytes_between", "attention_operations", "steps_in_order",
                          "time_exponent_n", "bytes_exponent_n", "operations_exponent_n", "forms_difference",
                          "last_state", "equal_operations_n", "clock_step"},
              .labels = {"n", "d", "way"},
              .figures = {"time_over_n", "bytes_over_n", "work_over_n"},
              .axes = {"n", "milliseconds", "bytes", "operations"},
              .series = {"recurrent", "explainable", "tiled", "either_attention"}},
};

}  // namespace sqrtdk::experiments
