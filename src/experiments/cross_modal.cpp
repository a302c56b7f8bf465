// Text tokens asking image patches: shapes of the logits, and what softmax makes of them where the two sides
// have other means and spreads, with and without division by sqrt(d).
#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "base/errors.h"
#include "experiments/registry.h"
#include "kernels/product/matmul.h"
#include "kernels/softmax.h"
#include "lab/chance.h"
#include "lab/common_params.h"
#include "lab/heat_map.h"
#include "lab/sampling.h"
#include "lab/statistics.h"
#include "lab/work.h"
#include "simd/math.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "cross_modal";
/// Spreads of the image's components for the sweep, as multiples of the one that was asked for.
constexpr double kSweep[] = {0.25, 0.5, 1, 2, 4};
constexpr size_t kSweepSize = std::size(kSweep), kAsked = 2;
constexpr const char* kScales[] = {"1/sqrt(d)", "none"};

struct Setting {
  int64_t batch, n_text, n_image, d;
  double mean_text, std_text, mean_image, std_image, correlation;
  Shape logits() const { return {batch, n_text, n_image}; }
  int64_t components() const { return batch * (n_text + n_image) * d; }
  /// One spread: the image moved to it, the product, and two softmaxes.
  double work_of_logits() const {
    const int64_t n = logits().size();
    return loop_work(batch * n_image * d) + product_work(n * d) + function_work(2 * n);
  }
  double scale(size_t which) const { return which == 0 ? 1 / std::sqrt(static_cast<double>(d)) : 1; }
  /// The variance of one token's logits over the patches, one of which may be its partner. A mean of the
  /// image's components adds one number to all of them.
  double row_variance() const {
    const double width = static_cast<double>(d), partner = correlation * std_text * std_image;
    return width * std_image * std_image * (std_text * std_text + mean_text * mean_text) +
           width * (width + 1) * partner * partner / static_cast<double>(n_image);
  }
  /// The relative standard error of its mean over trials, about: few trials of few components, whose squares
  /// are heavy-tailed, may well show less. A row's variance is the text's squared length times a sample
  /// variance of n_image numbers; rows that ask the same patches differ in as many ways as there are
  /// components.
  double row_variance_se(int64_t trials) const {
    const double width = static_cast<double>(d), n = static_cast<double>(n_image);
    const double spread = std_text * std_text, centre = mean_text * mean_text, power = spread + centre;
    const double length = power > 0 ? 2 * spread * (spread + 2 * centre) / (width * power * power) : 0;
    const double row = (1 + length) * (1 + 2 / (n - 1)) * (1 + 2 * correlation * correlation / width) - 1;
    return std::sqrt(row / static_cast<double>(trials * batch * std::min(n_text, d)));
  }
};

Setting setting_of(const Params& params) {
  Setting s{params.integer("batch"),   params.integer("n_text"), params.integer("n_image"),
            params.integer("d"),       params.real("mean_text"), params.real("std_text"),
            params.real("mean_image"), params.real("std_image"), params.real("correlation")};
  if (s.correlation != 0 && s.n_text > s.n_image) {
    throw ValueError(ErrorCode::kOutOfRange, kId, "n_text", "1 .. " + to_text(s.n_image), to_text(s.n_text));
  }
  return s;
}

/// Standard normal text [batch, n_text, d] and image [batch, n_image, d]; with a correlation, token i is
/// about patch i.
struct Draw {
  std::vector<float> text, image;

  Draw(const Setting& s, uint64_t seed, int64_t trial)
      : text(static_cast<size_t>(s.batch * s.n_text * s.d)),
        image(static_cast<size_t>(s.batch * s.n_image * s.d)) {
    const uint64_t stream = 2 * static_cast<uint64_t>(trial);
    sample_standard({}, seed, stream, 0, text.data(), static_cast<int64_t>(text.size()));
    sample_standard({}, seed, stream + 1, 0, image.data(), static_cast<int64_t>(image.size()));
    if (s.correlation == 0) return;
    const float shared = static_cast<float>(s.correlation);
    const float own = static_cast<float>(std::sqrt(1 - s.correlation * s.correlation));
    const int64_t rows = s.n_text * s.d;
    for (int64_t b = 0; b < s.batch; ++b) {
      float* t = text.data() + b * rows;
      const float* p = image.data() + b * s.n_image * s.d;
      for (int64_t i = 0; i < rows; ++i) t[i] = own * t[i] + shared * p[i];
    }
  }
};

std::vector<float> moved(const std::vector<float>& standard, double mean, double std) {
  std::vector<float> out(standard.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<float>(mean) + static_cast<float>(std) * standard[i];
  }
  return out;
}

/// text · imageᵀ, [batch, n_text, n_image].
std::vector<float> logits_of(const Setting& s, const std::vector<float>& text,
                             const std::vector<float>& image) {
  std::vector<float> logits(static_cast<size_t>(s.logits().size()));
  matmul({text.data(), {s.batch, s.n_text, s.d}}, Transpose::kNo, {image.data(), {s.batch, s.n_image, s.d}},
         Transpose::kYes, {logits.data(), s.logits()});
  return logits;
}

/// Per trial, at one scale: means over its rows.
struct Sample {
  std::vector<double> variance, entropy, max, partner;
};

void add_trial(Sample& sample, const Setting& s, const std::vector<float>& logits, double scale) {
  double variance = 0, entropy = 0, max = 0, partner = 0;
  const int64_t rows = s.batch * s.n_text;
  for (int64_t row = 0; row < rows; ++row) {
    const float* scores = logits.data() + row * s.n_image;
    Moments moments;
    for (int64_t j = 0; j < s.n_image; ++j) moments.add(scale * static_cast<double>(scores[j]));
    const SoftmaxShape shape = softmax_shape(scores, s.n_image, scale);
    variance += moments.variance();
    entropy += shape.entropy;
    max += shape.max;
    if (s.correlation == 0) continue;
    const double best = static_cast<double>(*std::max_element(scores, scores + s.n_image));
    partner += shape.max * simd::exp(scale * (static_cast<double>(scores[row % s.n_text]) - best));
  }
  const double n = static_cast<double>(rows);
  sample.variance.push_back(variance / n);
  sample.entropy.push_back(entropy / n);
  sample.max.push_back(max / n);
  sample.partner.push_back(partner / n);
}

/// The share of rows whose largest logit is their partner's: no scale changes that.
double share_found(const Setting& s, const std::vector<float>& logits) {
  int64_t found = 0;
  for (int64_t row = 0; row < s.batch * s.n_text; ++row) {
    const float* scores = logits.data() + row * s.n_image;
    found += std::max_element(scores, scores + s.n_image) - scores == row % s.n_text;
  }
  return static_cast<double>(found) / static_cast<double>(s.batch * s.n_text);
}

void add_maps(Result& result, const Setting& s, const std::vector<float>& logits) {
  const ConstView first(logits.data(), {s.n_text, s.n_image});
  const HeatMapAxes axes{.x = "patch", .y = "text_token", .z = "score"};
  result.add(heat_map("logits", {{"scale", "none"}}, first, axes));
  for (size_t which = 0; which < 2; ++which) {
    std::vector<float> weights(static_cast<size_t>(first.shape.size()));
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = logits[i] * static_cast<float>(s.scale(which));
    const View view(weights.data(), first.shape);
    softmax_forward(view, view);
    result
        .add(heat_map("weights", {{"scale", kScales[which]}}, view,
                      {.x = "patch", .y = "text_token", .z = "weight"}))
        .y_max = 1;
  }
}

Figure entropy_figure(const Setting& s, const Sample (&samples)[2][kSweepSize]) {
  Figure figure{.name = "entropy_over_std", .at = {}, .x = "std_image", .y = "entropy_nats", .log_x = true};
  figure.y_max = simd::log(static_cast<double>(s.n_image));
  for (size_t which = 0; which < 2; ++which) {
    Series series{.name = kScales[which], .role = which == 0 ? Role::kScaled : Role::kUnscaled};
    for (size_t i = 0; i < kSweepSize; ++i) {
      const Scalar mean = summary("entropy_nats", {}, samples[which][i].entropy);
      series.add(kSweep[i] * s.std_image, mean);
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

/// The variance of a row's logits against theory; and on the same draws, dividing never sharpens.
bool agrees(const Setting& s, const Scalar& variance, const Sample& scaled, const Sample& unscaled) {
  const double mean = static_cast<double>(s.d) * s.mean_text * s.mean_image;  // of the logits, to be rounded
  const double rounding = 1e-5 * variance.expected + 1e-12 * mean * mean;
  const auto trials = static_cast<int64_t>(scaled.entropy.size());
  const double se = std::max(variance.se, s.row_variance_se(trials) * variance.expected);
  bool agree = std::fabs(variance.value - variance.expected) <= Chance(1).z() * se + rounding;
  for (size_t i = 0; i < scaled.entropy.size(); ++i) {
    agree = agree && scaled.entropy[i] >= unscaled.entropy[i] - 1e-9;
  }
  return agree;
}

Result run(const Params& params, ProgressMeter& meter) {
  const Setting s = setting_of(params);
  const int64_t trials = params.integer("trials");
  const double work_of_logits = s.work_of_logits();
  meter.begin(static_cast<double>(trials) *
              (draw_work(s.components()) + static_cast<double>(kSweepSize) * work_of_logits));
  Result result;
  Sample samples[2][kSweepSize];
  std::vector<double> found;
  for (int64_t trial = 0; trial < trials; ++trial) {
    const Draw draw(s, params.seed("seed"), trial);
    const std::vector<float> text = moved(draw.text, s.mean_text, s.std_text);
    for (size_t i = 0; i < kSweepSize; ++i) {
      const std::vector<float> logits =
          logits_of(s, text, moved(draw.image, s.mean_image, kSweep[i] * s.std_image));
      for (size_t which = 0; which < 2; ++which) {
        add_trial(samples[which][i], s, logits, s.scale(which));
      }
      if (i == kAsked) found.push_back(share_found(s, logits));
      if (i == kAsked && trial == 0) add_maps(result, s, logits);
      meter.add(work_of_logits);
    }
    meter.add(draw_work(s.components()));
  }

  result.figures.insert(result.figures.begin(), entropy_figure(s, samples));
  result.lines = {"torch.Size([" + to_text(s.batch) + ", " + to_text(s.n_text) + ", " + to_text(s.n_image) +
                  "])"};
  bool agree = true;  // both scales of the same logits
  for (size_t which = 0; which < 2; ++which) {
    const Labels at = {{"scale", kScales[which]}};
    Sample& sample = samples[which][kAsked];
    Scalar variance = summary("logit_variance_per_row", at, std::move(sample.variance));
    variance.expected = s.scale(which) * s.scale(which) * s.row_variance();
    agree = agree && agrees(s, variance, samples[0][kAsked], samples[1][kAsked]);
    result.add(std::move(variance));
    result.add("entropy_nats", at, sample.entropy);
    result.add("softmax_max", at, std::move(sample.max));
    if (s.correlation != 0) {
      result.add("partner_weight", at, std::move(sample.partner));
    }
  }
  if (s.correlation != 0) {
    result.add("partner_found", {}, std::move(found));
  }
  result.judge(agree, "row_variance_as_expected", "row_variance_differs");
  return result;
}

constexpr Param kParams[] = {int_param("d", "768", 1, 2048),
                             int_param("n_text", "10", 1, 64),
                             int_param("n_image", "49", 2, 256),
                             int_param("batch", "2", 1, 8),
                             real_param("mean_text", "0", -10, 10),
                             real_param("std_text", "1", 0, 10),
                             real_param("mean_image", "0", -10, 10),
                             real_param("std_image", "1", 0.01, 10),
                             folded(real_param("correlation", "0", -1, 1)),
                             folded(int_param("trials", "40", 20, 10000)),
                             kSeedParam};

}  // namespace

const Experiment cross_modal = {
    .id = kId,
    .question = "Does the division make up for two sides that are distributed differently?",
    .source = "article 1, scenario 3: text (2, 10, 768) and image (2, 49, 768)",
    .group = Group::kRest,
    .chapter = 14,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"row_variance_as_expected", "row_variance_differs"},
              .scalars = {"logit_variance_per_row", "entropy_nats", "softmax_max", "partner_weight",
                          "partner_found"},
              .labels = {"scale"},
              .figures = {"entropy_over_std", "logits", "weights"},
              .axes = {"std_image", "entropy_nats", "patch", "text_token", "score", "weight"},
              .series = {"1/sqrt(d)", "none"}},
};

}  // namespace sqrtdk::experiments
