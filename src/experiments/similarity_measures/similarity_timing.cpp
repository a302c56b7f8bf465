#include "experiments/similarity_measures/similarity_timing.h"

#include "experiments/similarity_measures/similarity_scores.h"
#include "lab/sampling.h"

namespace sqrtdk {
namespace {

struct Named {
  const char* name;
  SimilarityWay way;
  Role role;
};
constexpr Named kWays[] = {{"dot", SimilarityWay::kDot, Role::kScaled},
                           {"cosine_similarity", SimilarityWay::kCosine, Role::kOther},
                           {"euclidean", SimilarityWay::kEuclidean, Role::kOther},
                           {"euclidean_direct", SimilarityWay::kEuclideanDirect, Role::kUnscaled}};
constexpr size_t kNWays = std::size(kWays);
constexpr int64_t kRows = 128;  // queries of one piece of work

std::vector<TimedWork> plan(int64_t n, const std::vector<int64_t>& d) {
  std::vector<TimedWork> work;
  for (const int64_t each : d) {
    for (const Named& way : kWays) {
      const double per_component = way.way == SimilarityWay::kEuclideanDirect ? 3 : 2;
      work.push_back({.operations = per_component * static_cast<double>(n) * static_cast<double>(n) *
                                    static_cast<double>(each),
                      .pieces = (n + kRows - 1) / kRows,
                      .run = {}});
    }
  }
  return work;
}

}  // namespace

double similarity_timing_work(int64_t n, const std::vector<int64_t>& d, int64_t rounds) {
  return timing_work(plan(n, d), rounds);
}

void add_similarity_times(Result& result, int64_t n, const std::vector<int64_t>& d, int64_t rounds,
                          uint64_t seed, ProgressMeter& meter) {
  Storage q(n * d.back()), k(n * d.back()), scores(n * n), squares(2 * n);
  sample_standard({}, seed, 0, 0, q.data(), q.size());
  sample_standard({}, seed, 1, 0, k.data(), k.size());
  std::vector<TimedWork> work = plan(n, d);
  for (size_t i = 0; i < work.size(); ++i) {
    const int64_t width = d[i / kNWays];
    work[i].run = [&, width, i](int64_t piece) {
      const int64_t first = piece * kRows, rows = std::min(kRows, n - first);
      similarity_scores(kWays[i % kNWays].way, {q.data() + first * width, {rows, width}},
                        {k.data(), {n, width}}, {scores.data() + first * n, {rows, n}},
                        {squares.data(), {rows + n}});
    };
  }
  const std::vector<Timing> timings = time_interleaved(work, rounds, meter);
  Figure chart{
      .name = "time_over_d", .at = {{"n", n}}, .x = "d", .y = "milliseconds", .log_x = true, .log_y = true};
  for (size_t way = 0; way < kNWays; ++way) {
    Series series{.name = kWays[way].name, .role = kWays[way].role};
    for (size_t i = 0; i < d.size(); ++i) {
      const Timing &own = timings[i * kNWays + way], &dot = timings[i * kNWays];
      const Labels at = {{"d", d[i]}, {"way", kWays[way].name}};
      result.add(milliseconds(at, own));
      if (way > 0) result.add(ratio("time_of_dot", at, own, dot));
      series.add(d[i], milliseconds(own));
    }
    add_growth(result, "time_exponent_d", {{"way", kWays[way].name}}, series);
    chart.series.push_back(std::move(series));
  }
  result.add(std::move(chart));
  add_clock(result);
}

}  // namespace sqrtdk
