// The runnable example of article 1: one query against n_keys keys of normal components, softmax of the
// scores with and without division by sqrt(d), largest and smallest weight printed.
#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "base/text.h"
#include "experiments/registry.h"
#include "kernels/product/matmul.h"
#include "kernels/softmax.h"
#include "lab/common_params.h"
#include "lab/statistics.h"
#include "lab/work.h"
#include "tensor/random.h"
#include "tensor/torch_generator.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "article_snippet";
constexpr int64_t kMaxNumbers = 1 << 24;  // of k

std::string shape_text(int64_t rows, int64_t cols) { return Shape{rows, cols}.text(); }

/// q [1, d] and k [n_keys, d] for call after call, from either generator or as the reader gave them.
class Source {
 public:
  Source(const Params& params, ProgressMeter& meter)
      : meter_(meter),
        paired_(params.choice("draws") == "paired"),
        torch_rng_(params.choice("rng") == "torch"),
        seed_(params.seed("seed")),
        torch_(seed_) {}

  double work(int64_t n) const { return torch_rng_ ? single_draw_work(n) : draw_work(n); }

  void draw(int64_t d, int64_t n_keys, std::vector<float>& q, std::vector<float>& k) {
    q.resize(static_cast<size_t>(d));
    k.resize(static_cast<size_t>(n_keys * d));
    if (torch_rng_) {
      torch_randn(q.data(), d);
      torch_randn(k.data(), n_keys * d);
      return;
    }
    // Row 0 is q, row 1 + i is key i, each its own stream: a longer d appends components.
    const uint64_t first_stream = call_ << 32;
    if (!paired_) ++call_;
    philox_normal(seed_, first_stream, 0, q.data(), d);
    meter_.add(work(d));
    for (int64_t i = 0; i < n_keys; ++i) {
      philox_normal(seed_, first_stream | static_cast<uint64_t>(1 + i), 0, k.data() + i * d, d);
      meter_.add(work(d));
    }
  }

 private:
  // randn transforms blocks of 16, so that drawing in multiples of 16 gives the same values.
  void torch_randn(float* out, int64_t n) {
    constexpr int64_t kChunk = 1 << 16;
    for (; n >= 2 * kChunk; out += kChunk, n -= kChunk) {
      torch_.randn(out, kChunk);
      meter_.add(work(kChunk));
    }
    torch_.randn(out, n);
    meter_.add(work(n));
  }

  ProgressMeter& meter_;
  bool paired_, torch_rng_;
  uint64_t seed_, call_ = 0;
  TorchGenerator torch_;
};

/// attn_scores of the article.
struct Attention {
  std::vector<float> scores, weights;  // [n_keys]
  float max() const { return *std::max_element(weights.begin(), weights.end()); }
  float min() const { return *std::min_element(weights.begin(), weights.end()); }
};

Attention attend(const std::vector<float>& q, const std::vector<float>& k, bool scaled) {
  const int64_t d = static_cast<int64_t>(q.size());
  const int64_t n_keys = static_cast<int64_t>(k.size()) / d;
  Attention a;
  a.scores.resize(static_cast<size_t>(n_keys));
  a.weights.resize(static_cast<size_t>(n_keys));
  matmul({q.data(), {1, d}}, Transpose::kNo, {k.data(), {n_keys, d}}, Transpose::kYes,
         {a.scores.data(), {1, n_keys}});
  if (scaled) {
    const float root = std::sqrt(static_cast<float>(d));
    for (float& score : a.scores) score /= root;
  }
  softmax_forward({a.scores.data(), {1, n_keys}}, {a.weights.data(), {1, n_keys}});
  return a;
}

/// The reader's q as one row of d columns (or one column of d rows), and k as n_keys rows of d columns.
void check_given(const Matrix* q, const Matrix* k) {
  if (!q) {
    throw ValueError(ErrorCode::kEmpty, kId, "q", "shape " + shape_text(1, k->cols), "");
  }
  if (q->rows != 1 && q->cols != 1) {
    throw ShapeError(ErrorCode::kWrongShape, kId, "q", "(1, d)", shape_text(q->rows, q->cols));
  }
  const int64_t d = q->rows * q->cols;
  const std::string expected = "(n_keys, " + to_text(d) + ")";
  if (!k) throw ValueError(ErrorCode::kEmpty, kId, "k", "shape " + expected, "");
  if (k->cols != d || k->rows * k->cols > kMaxNumbers) {
    throw ShapeError(ErrorCode::kWrongShape, kId, "k", expected, shape_text(k->rows, k->cols));
  }
}

void add_scalars(Result& result, const Attention& a, const std::string& d, const std::string& scale,
                 double variance) {
  const Labels at = {{"d", d}, {"scale", scale}};
  const int64_t n_keys = static_cast<int64_t>(a.scores.size());
  result.add("softmax_max", at, a.max());
  result.add("softmax_min", at, a.min());
  result.add("entropy_nats", at, softmax_shape(a.scores.data(), n_keys).entropy);
  if (n_keys < 2) return;
  Moments moments;
  for (const float score : a.scores) moments.add(static_cast<double>(score));
  result.add("logit_variance_per_trial", at, moments.variance(), variance);
}

Figure weights_figure(const Attention& scaled, const Attention& unscaled, const std::string& d) {
  Figure figure{
      .name = "weights", .at = {{"d", d}}, .kind = BarChart{}, .x = "key", .y = "weight", .y_max = 1};
  figure.series = {{.name = "scaled", .role = Role::kScaled}, {.name = "unscaled", .role = Role::kUnscaled}};
  for (size_t i = 0; i < scaled.weights.size(); ++i) {
    figure.series[0].add(i + 1, scaled.weights[i]);
    figure.series[1].add(i + 1, unscaled.weights[i]);
  }
  return figure;
}

/// Whether there is a larger weight at all: not where the division changes none, at d = 1, with equal scores
/// or where all the weight is on one key before and after it.
bool are_compared(const Attention& unscaled, const Attention& scaled, int64_t d) {
  const auto [lowest, highest] = std::minmax_element(unscaled.scores.begin(), unscaled.scores.end());
  return d > 1 && *highest - *lowest >= 1e-6f && unscaled.max() != scaled.max();
}

/// Whether the largest weight grows as the scores do, by sqrt(d).
bool is_sharper(const Attention& unscaled, const Attention& scaled) {
  const int64_t n_keys = static_cast<int64_t>(scaled.scores.size());
  return softmax_shape(unscaled.scores.data(), n_keys).max > softmax_shape(scaled.scores.data(), n_keys).max;
}

/// What the d of a run have shown.
struct Comparison {
  bool finite = true, any = false, sharper = true;
};

/// Draws of its own may well give the scaled call the larger weight: from that nothing follows.
void judge(Result& result, const Comparison& seen, bool paired) {
  if (!seen.finite) return result.cannot_be_judged("scores_not_finite");
  if (!seen.any) return result.cannot_be_judged("equal_weights");
  if (!seen.sharper && !paired) return result.cannot_be_judged("reversed_by_chance");
  result.judge(seen.sharper, "unscaled_is_sharper", "unscaled_is_not_sharper");
}

Result run(const Params& params, ProgressMeter& meter) {
  const Matrix* given_q = params.matrix("q");
  const Matrix* given_k = params.matrix("k");
  const bool given = given_q || given_k;
  if (given) check_given(given_q, given_k);
  const int64_t n_keys = given ? given_k->rows : params.integer("n_keys");
  const std::vector<int64_t> dims = given ? std::vector<int64_t>{given_k->cols} : params.integers("d");
  for (const int64_t d : dims) {
    if (!given && d * n_keys > kMaxNumbers) {
      throw ValueError(ErrorCode::kOutOfRange, kId, "d",
                       "1 .. " + to_text(kMaxNumbers / n_keys) + " (n_keys = " + to_text(n_keys) + ")",
                       to_text(d));
    }
  }

  const bool paired = given || params.choice("draws") == "paired";
  Source source(params, meter);
  meter.begin(trials_work(paired ? 1 : 2, dims, [&](int64_t d) { return source.work((n_keys + 1) * d); }));
  Result result;
  Comparison seen;
  std::vector<float> q, k;
  for (const int64_t d : dims) {
    if (given) {
      q = given_q->values;
      k = given_k->values;
      meter.add(source.work((n_keys + 1) * d));
    } else {
      source.draw(d, n_keys, q, k);
    }
    const Attention scaled = attend(q, k, true);
    if (!paired) source.draw(d, n_keys, q, k);
    const Attention unscaled = attend(q, k, false);

    const auto printed = [](float weight) { return fixed(static_cast<double>(weight), 3); };
    const std::string d_text = to_text(d);
    result.lines.push_back("d=" + d_text + " scaled max=" + printed(scaled.max()) +
                           " min=" + printed(scaled.min()) + " | unscaled max=" + printed(unscaled.max()) +
                           " min=" + printed(unscaled.min()));
    add_scalars(result, scaled, d_text, "1/sqrt(d)", given ? kNone : 1);
    add_scalars(result, unscaled, d_text, "none", given ? kNone : static_cast<double>(d));
    result.add(weights_figure(scaled, unscaled, d_text));
    seen.finite = seen.finite && std::isfinite(scaled.max()) && std::isfinite(unscaled.max());
    if (!are_compared(unscaled, scaled, d)) continue;
    seen.any = true;
    seen.sharper = seen.sharper && (paired ? is_sharper(unscaled, scaled) : unscaled.max() > scaled.max());
  }
  judge(result, seen, paired);
  return result;
}

constexpr const char* kDraws[] = {"independent", "paired"};
constexpr const char* kRngs[] = {"philox", "torch"};
/// Nothing is drawn where the reader gives q and k.
constexpr Condition kIfDrawn[] = {{"q", ""}, {"k", ""}};
constexpr Param draw_param(Param param) { return shown_when(kIfDrawn, param); }

constexpr Param kParams[] = {draw_param(d_param("32,128,512")),
                             draw_param(kNKeysParam),
                             draw_param(choice_param("draws", "independent", kDraws)),
                             draw_param(kSeedParam),
                             draw_param(folded(choice_param("rng", "philox", kRngs))),
                             matrix_param("q", ""),
                             matrix_param("k", "")};

}  // namespace

const Experiment article_snippet = {
    .id = kId,
    .question = "Does the largest weight really run away when nobody divides?",
    .source = "article 1, runnable example",
    .group = Group::kClaim,
    .chapter = 2,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"unscaled_is_sharper", "unscaled_is_not_sharper", "reversed_by_chance",
                           "equal_weights", "scores_not_finite"},
              .scalars = {"softmax_max", "softmax_min", "entropy_nats", "logit_variance_per_trial"},
              .labels = {"d", "scale"},
              .figures = {"weights"},
              .axes = {"key", "weight"},
              .series = {"scaled", "unscaled"},
              .values = {"1/sqrt(d)", "none"}},
};

}  // namespace sqrtdk::experiments
