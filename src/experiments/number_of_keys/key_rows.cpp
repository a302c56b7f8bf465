#include "experiments/number_of_keys/key_rows.h"

#include "kernels/softmax.h"
#include "lab/statistics.h"
#include "lab/work.h"
#include "tensor/random.h"

namespace sqrtdk::experiments {
namespace {

constexpr double kSaturated = 0.99;
constexpr const char* kRatioTexts[] = {"0.25", "0.5", "0.75", "0.9", "1", "1.1",
                                       "1.25", "1.5", "2",    "3",   "4", "6.63"};

double critical_beta(int64_t n) { return std::sqrt(2 * log_of(n)); }

/// As many numbers at every n above 512, so that 65536 keys do not take the time of all others.
int64_t rows_at(int64_t n, int64_t trials) {
  constexpr int64_t kWholeUpTo = 512, kFewest = 32;
  return n <= kWholeUpTo ? trials : std::max(std::min(trials, kFewest), trials * kWholeUpTo / n);
}

/// Rows at one n and beta.
struct Sample {
  std::vector<double> max, entropy;
};

KeyCell summarised(Sample&& sample, int64_t n, const Labels& at) {
  const auto rows = static_cast<int64_t>(sample.max.size());
  const auto saturated = std::count_if(sample.max.begin(), sample.max.end(),
                                       [](double largest) { return largest > kSaturated; });
  std::vector<double> effective_keys = sample.entropy;
  for (double& x : effective_keys) x = simd::exp(x);
  for (double& x : sample.entropy) x /= log_of(n);
  return {{summary("entropy_share", at, std::move(sample.entropy)),
           summary("softmax_max", at, std::move(sample.max)),
           summary("effective_keys_exp_entropy", at, std::move(effective_keys)),
           share("frac_max_gt_0.99", at, saturated, rows)}};
}

/// One row of scores and what its softmax looks like.
class KeyRow {
 public:
  explicit KeyRow(int64_t n)
      : normals_(static_cast<size_t>(n)), scores_(normals_.size()), weights_(normals_.size()) {}

  /// Row t: the normals are the scores' at beta = 1.
  void draw(uint64_t seed, int64_t t) {
    philox_normal(seed, static_cast<uint64_t>(n()) << 32 | static_cast<uint64_t>(t), 0, normals_.data(), n());
  }
  void attend(double beta) {
    for (size_t j = 0; j < scores_.size(); ++j) scores_[j] = static_cast<float>(beta) * normals_[j];
    softmax_forward({scores_.data(), {n()}}, {weights_.data(), {n()}});
    const auto top = std::max_element(weights_.begin(), weights_.end());
    max = static_cast<double>(*top);
    top_score_ = static_cast<double>(scores_[static_cast<size_t>(top - weights_.begin())]);
  }
  void attend(double beta, Sample& sample) {
    attend(beta);
    sample.max.push_back(max);
    sample.entropy.push_back(entropy());
  }
  /// -sum p ln p with ln p = score - (largest score - ln of the largest weight).
  double entropy() const {
    double below = 0;
    for (size_t j = 0; j < scores_.size(); ++j) {
      below += static_cast<double>(weights_[j]) * (top_score_ - static_cast<double>(scores_[j]));
    }
    return below - simd::log(max);
  }
  /// The score with which one more key would have weight 1/2 beside all others of the row but the last.
  double lead_for_half() const {
    return top_score_ - simd::log(max) + simd::log(1 - static_cast<double>(weights_.back()));
  }

  double max = 0;

 private:
  int64_t n() const { return static_cast<int64_t>(normals_.size()); }
  std::vector<float> normals_, scores_, weights_;
  double top_score_ = 0;
};

/// ‖q‖ of as many queries: given q, its scores with normal keys are ‖q‖ times normals. Streams of queries are
/// no row's of as many keys.
std::vector<double> query_lengths(uint64_t seed, int64_t d, int64_t trials, ProgressMeter& meter) {
  std::vector<double> lengths;
  std::vector<float> q(static_cast<size_t>(d));
  for (int64_t t = 0; t < trials; ++t) {
    const uint64_t stream = static_cast<uint64_t>(d) << 32 | uint64_t{1} << 31 | static_cast<uint64_t>(t);
    philox_normal(seed, stream, 0, q.data(), d);
    double squares = 0;
    for (const float x : q) squares += static_cast<double>(x) * static_cast<double>(x);
    lengths.push_back(std::sqrt(squares));
    meter.add(trial_work(d, 0));
  }
  return lengths;
}

double row_work(const KeyPlan& plan, int64_t n) {
  const auto betas = static_cast<double>(1 + std::size(kBetaRatios) + plan.scales.size() * plan.d.size());
  return trial_work(n, 0) + betas * draw_work(n + 32);
}

/// With the lengths of queries at each d.
AtKeys measure(const KeyPlan& plan, const std::vector<std::vector<double>>& lengths, int64_t n,
               Result& result, ProgressMeter& meter) {
  std::vector<Sample> ratios(std::size(kBetaRatios)), cells(plan.scales.size() * plan.d.size());
  std::vector<double> deficit, kept, lead;
  KeyRow row(n);
  for (int64_t t = 0; t < rows_at(n, plan.trials); ++t) {
    row.draw(plan.seed, t);
    for (size_t i = 0; i < ratios.size(); ++i) row.attend(kBetaRatios[i] * critical_beta(n), ratios[i]);
    for (size_t i = 0; i < cells.size(); ++i) {
      const size_t at_d = i % plan.d.size();
      const auto scale = static_cast<double>(plan.scales[i / plan.d.size()].at(plan.d[at_d]));
      row.attend(lengths[at_d][static_cast<size_t>(t)] * scale, cells[i]);
    }
    row.attend(1);
    const double entropy = row.entropy();
    deficit.push_back(log_of(n) - entropy);
    kept.push_back(simd::exp(entropy - log_of(n)));
    lead.push_back(row.lead_for_half());
    meter.add(row_work(plan, n));
  }
  const Labels at_n = {{"n_keys", n}};
  AtKeys at{
      .n = n, .ratios = {}, .cells = {}, .deficit = summary("entropy_deficit", at_n, std::move(deficit))};
  result.add("critical_beta", at_n, critical_beta(n));
  result.add("critical_d", at_n, 2 * log_of(n));
  result.add(at.deficit);
  result.add("keys_kept", at_n, std::move(kept));
  result.add("lead_for_half", at_n, std::move(lead));
  const auto keep = [&](KeyCell cell, std::vector<KeyCell>& among) {
    result.scalars.insert(result.scalars.end(), cell.scalars.begin(), cell.scalars.end());
    among.push_back(std::move(cell));
  };
  for (size_t i = 0; i < ratios.size(); ++i) {
    keep(summarised(std::move(ratios[i]), n, {{"n_keys", n}, {"beta_ratio", kRatioTexts[i]}}), at.ratios);
  }
  at.cells.resize(plan.scales.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    const size_t scale = i / plan.d.size();
    const Labels labels = {{"n_keys", n}, {"d", plan.d[i % plan.d.size()]}, {"scale", plan.scales[scale]}};
    keep(summarised(std::move(cells[i]), n, labels), at.cells[scale]);
  }
  return at;
}

}  // namespace

double work_of(const KeyPlan& plan) {
  double total = 0;
  for (const int64_t d : plan.d) total += static_cast<double>(plan.trials) * trial_work(d, 0);
  for (const int64_t n : plan.n) total += static_cast<double>(rows_at(n, plan.trials)) * row_work(plan, n);
  return total;
}

std::vector<AtKeys> measure_keys(const KeyPlan& plan, Result& result, ProgressMeter& meter) {
  std::vector<std::vector<double>> lengths;
  for (const int64_t d : plan.d) lengths.push_back(query_lengths(plan.seed, d, plan.trials, meter));
  std::vector<AtKeys> all;
  for (const int64_t n : plan.n) all.push_back(measure(plan, lengths, n, result, meter));
  return all;
}

}  // namespace sqrtdk::experiments
