#include "training/trainer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.h"
#include "kernels/attention/scale.h"
#include "reference/allocations.h"
#include "reference/compare.h"
#include "reference/thrown_by.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("the same config gives the same bits, another seed or scale others") {
  const auto run = [](const TrainerConfig& config) {
    Trainer trainer(config);
    for (int i = 0; i < 5; ++i) trainer.step();
    return trainer.weight_hash();
  };
  TrainerConfig config = small_trainer();
  config.model.layer.attention.dropout = 0.1f;
  const uint64_t hash = run(config);
  CHECK(run(config) == hash);
  config.seed = 4;
  CHECK(run(config) != hash);
  config.seed = 3;
  config.model.layer.attention.scale = 1.0f;
  CHECK(run(config) != hash);
  config.model.layer.attention.scale = default_scale(16);
  CHECK(run(config) == hash);
  config.model.layer.attention.dropout = 0;
  CHECK(run(config) != hash);
}

TEST_CASE("racers that differ in the scale begin with the same parameters and see the same examples") {
  TrainerConfig config = small_trainer();
  config.optimizer.learning_rate = 0;
  Trainer with(config);
  config.model.layer.attention.scale = 1.0f;
  Trainer without(config);
  CHECK(with.weight_hash() == without.weight_hash());
  for (int i = 0; i < 3; ++i) {
    CHECK(with.step().loss != without.step().loss);
    // The embedded tokens of the step: the parameters are equal, and so are the tokens.
    const ConstView a = with.cache().at("embedding.out"), b = without.cache().at("embedding.out");
    CHECK(std::equal(a.data, a.data + a.shape.size(), b.data));
  }
  config.seed = 4;
  CHECK(Trainer(config).weight_hash() != with.weight_hash());
}

TEST_CASE("evaluating and asking between steps changes no bit of the training") {
  Trainer plain(small_trainer()), watched(small_trainer());
  for (int i = 0; i < 4; ++i) {
    plain.step(), watched.step();
    watched.evaluate(20);
    watched.answer(std::vector<int32_t>{1, 2, 3, 0, 0, 1}, 1.0f, true);
    watched.look_at_heads(3);
  }
  CHECK(plain.weight_hash() == watched.weight_hash());
}

TEST_CASE("a small model learns to sort in 300 steps") {
  TrainerConfig config = small_trainer();
  config.model.layer.attention.d_model = 32;
  config.batch = 16;
  config.optimizer.learning_rate = 3e-3;
  Trainer trainer(config);
  const Evaluation before = trainer.evaluate(100);
  CHECK(before.token_accuracy < 0.4);
  CHECK(before.loss > 1.5);
  for (int i = 0; i < 300; ++i) trainer.step();
  const Evaluation after = trainer.evaluate(100);
  CHECK(after.token_accuracy > 0.9);
  CHECK(after.loss < 0.4);
  CHECK(after.sequence_accuracy > 0.4);
  CHECK(after.sequence_accuracy <= after.token_accuracy);
  // The scale belongs to the parameters.
  CHECK(trainer.evaluate(100, 1.0f).token_accuracy < after.token_accuracy - 0.1);
  CHECK(trainer.evaluate(100, default_scale(32)).loss == after.loss);
}

TEST_CASE("evaluate measures what answer answers, whatever the batches") {
  TrainerConfig config = small_trainer();
  Trainer trainer(config);
  for (int i = 0; i < 30; ++i) trainer.step();
  constexpr size_t kExamples = 21;  // batches of 8, 8 and 5
  std::vector<int32_t> source(kExamples * 6), answer(kExamples * 6);
  trainer.task().sample(config.seed, stream_of("evaluate"), 0, kExamples, source.data(), answer.data());
  int tokens = 0, sequences = 0;
  for (size_t i = 0; i < kExamples; ++i) {
    const std::vector<int32_t> got = trainer.answer(std::span<const int32_t>(source).subspan(6 * i, 6));
    int right = 0;
    for (size_t j = 0; j < 6; ++j) right += got[j] == answer[6 * i + j];
    tokens += right, sequences += right == 6;
  }
  const Evaluation result = trainer.evaluate(kExamples);
  CHECK(result.token_accuracy == tokens / (6.0 * kExamples));
  CHECK(result.sequence_accuracy == sequences / static_cast<double>(kExamples));
}

TEST_CASE("a step reports what it did") {
  TrainerConfig config = small_trainer();
  config.schedule = {.warmup_steps = 4};
  Trainer trainer(config);
  const double before = trainer.evaluate(200).loss;
  const StepResult first = trainer.step();
  CHECK(first.step == 1);
  CHECK(first.updated);
  CHECK(first.learning_rate == doctest::Approx(0.25e-3).scale(0));
  CHECK(first.loss == doctest::Approx(before).epsilon(0.2));
  double squares = 0;
  for (const GradientNorm& layer : trainer.layer_gradient_norms()) squares += layer.norm * layer.norm;
  CHECK(std::sqrt(squares) == doctest::Approx(first.gradient_norm));
  CHECK(trainer.step().learning_rate == doctest::Approx(0.5e-3).scale(0));
  CHECK(trainer.steps() == 2);
}

TEST_CASE("every step sees the next examples, whatever the batch, and drops by its own number") {
  TrainerConfig config = small_trainer();
  config.optimizer.learning_rate = 0;
  Trainer eight(config);
  config.batch = 4;
  Trainer four(config);
  for (int i = 0; i < 3; ++i) {
    const double first = four.step().loss, second = four.step().loss;
    CHECK(first != second);
    CHECK(eight.step().loss == doctest::Approx((first + second) / 2).epsilon(1e-6));
  }
  CHECK(four.cache().mode.training);
  CHECK(four.cache().mode.seed == config.seed);
  CHECK(four.cache().mode.step == 5);
}

TEST_CASE("clipping bounds the gradients that the optimizer sees") {
  TrainerConfig config = small_trainer();
  config.max_gradient_norm = 0.01;
  Trainer trainer(config);
  const StepResult result = trainer.step();
  CHECK(result.gradient_norm > 0.1);
  double squares = 0;
  for (const GradientNorm& layer : trainer.layer_gradient_norms()) squares += layer.norm * layer.norm;
  CHECK(std::sqrt(squares) == doctest::Approx(0.01).epsilon(1e-3).scale(0));
}

TEST_CASE("label smoothing raises the training loss, not the evaluation's") {
  TrainerConfig config = small_trainer();
  config.optimizer.learning_rate = 3e-3;
  Trainer plain(config);
  config.label_smoothing = 0.2f;
  Trainer smooth(config);
  CHECK(plain.evaluate(30).loss == smooth.evaluate(30).loss);  // of equal weights
  double plain_loss = 0, smooth_loss = 0;
  for (int i = 0; i < 200; ++i) plain_loss = plain.step().loss, smooth_loss = smooth.step().loss;
  // No loss is below the entropy of its target: 1 - e + e/8 for the right token, e/8 for each other, e = 0.2.
  const double right = 0.825, other = 0.025;
  const double least = -right * std::log(right) - 7 * other * std::log(other);
  CHECK(smooth_loss > least);
  CHECK(smooth_loss > plain_loss + 0.1);
}

TEST_CASE("a gradient that is not finite throws and changes nothing, or the step is skipped") {
  for (const NonFinite policy : {NonFinite::kThrow, NonFinite::kSkip}) {
    TrainerConfig config = small_trainer();
    config.optimizer.non_finite = policy;
    Trainer trainer(config);
    trainer.step();
    const int bias = trainer.parameters().find("head.bias");
    float& broken = trainer.parameters().value(bias).data[2];
    const float kept = broken;
    broken = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> before = values(trainer);
    const std::vector<float> state = moments(trainer.optimizer());
    if (policy == NonFinite::kThrow) {
      CHECK_THROWS_AS(trainer.step(), ValueError);
      CHECK(trainer.steps() == 1);
    } else {
      CHECK_FALSE(trainer.step().updated);
      CHECK(trainer.steps() == 2);
    }
    CHECK(trainer.optimizer().steps() == 1);
    CHECK(same_bits(values(trainer), before));
    CHECK(same_bits(moments(trainer.optimizer()), state));
    CHECK(trainer.evaluate(8).token_accuracy == 0);
    broken = kept;
    CHECK(trainer.step().updated);
  }
}

TEST_CASE("after some steps memory does not grow") {
  Trainer trainer(small_trainer());
  const auto work = [&](int steps) {
    for (int i = 0; i < steps; ++i) trainer.step();
    trainer.evaluate(20);
    trainer.look_at_heads(4);
    trainer.row_gradients(4);
    trainer.attention_maps(1);
    trainer.answers(3);
  };
  const auto peak = [&](int steps) {
    const PeakMemory memory;
    work(steps);
    return memory.bytes();
  };
  work(2);
  const size_t temporary = peak(2);
  CHECK(temporary < 16384);
  CHECK(peak(40) == temporary);
}

TEST_CASE("trainers refuse invalid configurations") {
  const auto refused = [](const char* argument, auto change) {
    CAPTURE(argument);
    TrainerConfig config = small_trainer();
    change(config);
    const ValueError error = thrown_by<ValueError>([&] { Trainer trainer(config); });
    CHECK(error.argument == argument);
  };
  refused("batch", [](TrainerConfig& config) { config.batch = 0; });
  refused("max_gradient_norm", [](TrainerConfig& config) { config.max_gradient_norm = NAN; });
  refused("scale", [](TrainerConfig& config) { config.model.layer.attention.scale = INFINITY; });
  refused("task", [](TrainerConfig& config) { config.task.name = "nothing"; });
  refused("warmup_steps", [](TrainerConfig& config) { config.schedule.warmup_steps = -1; });
  refused("beta1", [](TrainerConfig& config) { config.optimizer.beta1 = 2; });
  refused("label_smoothing", [](TrainerConfig& config) { config.label_smoothing = 1.5f; });
  refused("init_gain", [](TrainerConfig& config) { config.initialization.gain = -1; });
  refused("init_std", [](TrainerConfig& config) { config.initialization.std = NAN; });
  refused("init_embedding_std", [](TrainerConfig& config) { config.initialization.embedding_std = -1.0f; });
  refused("init_projection_std", [](TrainerConfig& config) { config.initialization.projection_std = NAN; });
  refused("init_equal_qk", [](TrainerConfig& config) {
    config.initialization.equal_qk = true;
    config.model.layer.attention.n_heads = 2, config.model.layer.attention.n_kv_heads = 1;
  });
  refused("norm_epsilon", [](TrainerConfig& config) { config.model.layer.epsilon = INFINITY; });
  Trainer trainer(small_trainer());
  CHECK_THROWS_AS(trainer.evaluate(0), ValueError);
  CHECK_THROWS_AS(trainer.look_at_heads(0), ValueError);
  CHECK_THROWS_AS(trainer.answer(std::vector<int32_t>{1, 2}), ShapeError);
}

TEST_CASE("the learning rate can change between steps") {
  TrainerConfig config = small_trainer();
  config.schedule = {.warmup_steps = 2};
  Trainer trainer(config), plain(config);
  trainer.step(), plain.step();
  trainer.set_learning_rate(4e-3);
  CHECK(trainer.config().optimizer.learning_rate == 4e-3);
  CHECK(trainer.step().learning_rate == 4e-3);
  CHECK(plain.step().learning_rate == 1e-3);
  CHECK(trainer.weight_hash() != plain.weight_hash());
  trainer.set_learning_rate(0);
  const uint64_t before = trainer.weight_hash();
  trainer.step();
  CHECK(trainer.weight_hash() == before);
  for (const double wrong : {-1e-9, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    CHECK_THROWS_AS(trainer.set_learning_rate(wrong), ValueError);
    CHECK(trainer.config().optimizer.learning_rate == 0);
  }
}
