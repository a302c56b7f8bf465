#include "training/attention_gradients.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "reference/compare.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr int64_t kExamples = 5;

TrainerConfig two_heads(Topology topology, bool tied = false) {
  TrainerConfig config = small_trainer();
  config.topology = topology;
  config.model.layer.attention.n_heads = 2;
  config.model.layer.attention.tied_kv = tied;
  return config;
}

void fill(View x, std::initializer_list<float> numbers) { std::copy(numbers.begin(), numbers.end(), x.data); }

}  // namespace

TEST_CASE("the norms of rows, in the order of examples, heads and queries") {
  Parameters parameters;
  const MultiHeadAttention attention(parameters, "a", {.d_model = 2, .n_heads = 2});
  const MultiHeadAttention* const attentions[] = {&attention};
  Cache cache;
  fill(cache.make("a.dscores", {1, 2, 2, 3}), {3, 0, 4, 0, 0, 0, 1, 2, 2, 0, -5, 12});
  fill(cache.make("a.dq", {1, 2, 2, 1}), {-1, 2, 0, 4});
  const std::vector<RowGradients> rows = row_gradients(cache, attentions);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].attention == "a");
  CHECK(rows[0].scores == std::vector<double>{5, 0, 3, 13});
  CHECK(rows[0].q == std::vector<double>{1, 2, 0, 4});
  const ScoreGradients even = score_gradients(rows)[0];
  CHECK(even.mean == 5.25);
  CHECK(even.median == 4);
  CHECK(score_gradients(std::vector<RowGradients>{{"b", {7, 1, 2}, {}}})[0].median == 2);
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  CHECK(std::isnan(score_gradients(std::vector<RowGradients>{{"b", {7, nan, 2}, {}}})[0].median));
  CHECK(score_gradients(std::vector<RowGradients>{{"b", {infinity, 1, 2}, {}}})[0].median == 2);
}

TEST_CASE("gradients of projections are those of the parameters, tied ones their two paths") {
  for (const Topology topology : {Topology::kEncoder, Topology::kDecoder, Topology::kEncoderDecoder}) {
    for (const bool tied : {false, true}) {
      CAPTURE(tied);
      Trainer trainer(two_heads(topology, tied));
      trainer.step();
      const std::vector<ProjectionGradients> got = trainer.projection_gradients(kExamples);
      CHECK(got.size() == (topology == Topology::kEncoderDecoder ? 3 : 1));
      for (const auto& [attention, dw_q, dw_k, dw_v] : got) {
        const int index = trainer.parameters().find(attention + ".in_proj_weight");
        const float* const all = trainer.parameters().gradient(index).data;
        REQUIRE(dw_q.size() == 256);
        for (size_t i = 0; i < 256; ++i) {
          CHECK(dw_q[i] == all[i]);
          if (tied) {
            CHECK(dw_k[i] + dw_v[i] == doctest::Approx(all[256 + i]).epsilon(1e-4).scale(0.01));
          } else {
            CHECK(dw_k[i] == all[256 + i]);
            CHECK(dw_v[i] == all[512 + i]);
          }
        }
      }
    }
  }
}

TEST_CASE("computed gradients agree with central differences of the evaluation's loss") {
  for (const bool tied : {false, true}) {
    Trainer trainer(two_heads(Topology::kDecoder, tied));
    for (int i = 0; i < 20; ++i) trainer.step();
    CHECK(trainer.compute_gradients(kExamples) ==
          doctest::Approx(trainer.evaluate(kExamples).loss).epsilon(1e-6));
    for (const char* name :
         {"layers.0.self_attn.in_proj_weight", "layers.0.linear1.weight", "embedding.weight"}) {
      CAPTURE(name);
      Parameters& parameters = trainer.parameters();
      const int index = parameters.find(name);
      // The steepest direction: there, the differences are far above the rounding of a loss.
      trainer.compute_gradients(kExamples);
      const View g = parameters.gradient(index);
      const std::vector<float> gradient(g.data, g.data + g.shape.size()), before = values(trainer);
      double squares = 0;
      for (const float x : gradient) squares += static_cast<double>(x) * x;
      const auto loss_at = [&](double by) {
        std::copy(before.begin(), before.end(), parameters.values().begin());
        const View w = parameters.value(index);
        for (size_t i = 0; i < gradient.size(); ++i) {
          w.data[i] += static_cast<float>(by * gradient[i] / std::sqrt(squares));
        }
        return trainer.evaluate(kExamples).loss;
      };
      const double slope = (loss_at(0.01) - loss_at(-0.01)) / 0.02;
      CHECK(slope == doctest::Approx(std::sqrt(squares)).epsilon(0.01));
      loss_at(0);
    }
  }
}

TEST_CASE("the rows' gradients of scores are those of the loss") {
  Trainer trainer(two_heads(Topology::kEncoder));
  for (int i = 0; i < 20; ++i) trainer.step();
  const std::vector<RowGradients> rows = trainer.row_gradients(kExamples);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].scores.size() == kExamples * 2 * 6);
  CHECK(rows[0].q.size() == rows[0].scores.size());
  // L depends on the scale through scores = scale q·k alone: dL/dscale = sum of dscores q·k.
  const View dscores = trainer.cache().at("layers.0.self_attn.dscores");
  const View scores = trainer.cache().at("layers.0.self_attn.scores");
  const float scale = trainer.first_scale();
  double expected = 0, squares = 0, norms = 0;
  for (int64_t i = 0; i < dscores.shape.size(); ++i) {
    expected += static_cast<double>(dscores.data[i]) * scores.data[i] / scale;
    squares += static_cast<double>(dscores.data[i]) * dscores.data[i];
  }
  for (const double norm : rows[0].scores) norms += norm * norm;
  CHECK(norms == doctest::Approx(squares).scale(0));
  const double above = trainer.evaluate(kExamples, scale + 0.01f).loss;
  const double below = trainer.evaluate(kExamples, scale - 0.01f).loss;
  CHECK((above - below) / 0.02 == doctest::Approx(expected).epsilon(0.02).scale(0));
}

TEST_CASE("looking at gradients changes no step, and the step's own norms stay") {
  TrainerConfig config = two_heads(Topology::kDecoder);
  config.model.layer.attention.dropout = 0.1f;
  Trainer plain(config), watched(config);
  CHECK(std::isnan(watched.layer_gradient_norms()[2].norm));
  for (int i = 0; i < 4; ++i) {
    plain.step(), watched.step();
    const std::vector<GradientNorm> before = watched.layer_gradient_norms();
    watched.row_gradients(3);
    watched.projection_gradients(7);
    watched.attention_maps(2);
    watched.answers(3);
    const std::vector<GradientNorm> after = watched.layer_gradient_norms();
    for (size_t j = 0; j < before.size(); ++j) {
      CHECK(before[j].norm > 0);
      CHECK(after[j].norm == before[j].norm);
      CHECK(plain.layer_gradient_norms()[j].norm == before[j].norm);
    }
  }
  CHECK(plain.save() == watched.save());
  CHECK_THROWS_AS(plain.compute_gradients(0), ValueError);
  CHECK_THROWS_AS(plain.row_gradients(4097), ValueError);
}
