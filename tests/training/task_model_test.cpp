#include "training/task_model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

// The share of the first n examples of the evaluation whose whole answer is right.
double share_answered(Trainer& trainer, size_t n) {
  const auto n_source = static_cast<size_t>(trainer.task().n_source());
  const auto n_answer = static_cast<size_t>(trainer.task().n_answer());
  std::vector<int32_t> source(n * n_source), answer(n * n_answer);
  trainer.task().sample(trainer.config().seed, stream_of("evaluate"), 0, static_cast<int64_t>(n),
                        source.data(), answer.data());
  int right = 0;
  for (size_t i = 0; i < n; ++i) {
    const std::vector<int32_t> got = trainer.answer({source.data() + i * n_source, n_source});
    right += std::equal(got.begin(), got.end(), answer.data() + i * n_answer);
  }
  return right / static_cast<double>(n);
}

}  // namespace

TEST_CASE("a decoder learns to reverse, and generates as it is evaluated") {
  TrainerConfig config = small_trainer();
  config.task = {"reverse", 3, 4};
  config.topology = Topology::kDecoder;
  config.optimizer.learning_rate = 5e-3;
  Trainer trainer(config);
  CHECK(trainer.model().config().vocab == 5);
  CHECK(trainer.model().config().context == 6);
  for (int i = 0; i < 400; ++i) trainer.step();
  const Evaluation result = trainer.evaluate(64);
  CHECK(result.token_accuracy > 0.9);
  CHECK(share_answered(trainer, 64) == result.sequence_accuracy);
}

TEST_CASE("an encoder-decoder learns, generates as it is evaluated, and continues bit for bit") {
  TrainerConfig config = small_trainer();
  config.task = {"reverse", 3, 4};
  config.topology = Topology::kEncoderDecoder;
  config.optimizer.learning_rate = 5e-3;
  config.model.layer.attention.dropout = 0.01f;
  Trainer trainer(config), restored(config);
  CHECK(trainer.model().config().vocab == 5);
  CHECK(trainer.model().config().context == 3);
  for (int i = 0; i < 300; ++i) {
    if (i == 290) restored.restore(trainer.save());
    trainer.step();
  }
  for (int i = 290; i < 300; ++i) restored.step();
  CHECK(restored.weight_hash() == trainer.weight_hash());
  const Evaluation result = trainer.evaluate(64);
  CHECK(result.token_accuracy > 0.9);
  CHECK(share_answered(trainer, 64) == result.sequence_accuracy);
  const std::vector<HeadRecord> heads = trainer.look_at_heads(4);
  REQUIRE(heads.size() == 3);
  CHECK(heads[0].attention == "encoder.layers.0.self_attn");
  CHECK(heads[2].attention == "decoder.layers.0.multihead_attn");
  CHECK(trainer.evaluate(64, 3.0f).loss != result.loss);
}

TEST_CASE("an encoder-decoder's answers are those of its logits, token after token") {
  TrainerConfig config = small_trainer();
  config.task = {"reverse", 5, 4};
  config.topology = Topology::kEncoderDecoder;
  Trainer trainer(config);
  for (int i = 0; i < 20; ++i) trainer.step();
  const std::vector<int32_t> source = {0, 3, 1, 1, 2};
  for (const bool explain : {false, true}) {
    const std::vector<int32_t> answer = trainer.answer(source, {}, explain);
    REQUIRE(answer.size() == 5);
    Parameters parameters;
    TaskModel model(parameters, trainer.task(), config.topology, config.model);
    parameters.allocate();
    const std::span<const float> values = std::as_const(trainer).parameters().values();
    std::copy(values.begin(), values.end(), parameters.values().begin());
    Cache cache;
    model.set_examples(1, source.data(), answer.data());  // the decoder sees its own answer
    const View logits = model.forward({}, false, cache, {});
    for (int64_t i = 0; i < 5; ++i) {
      CHECK(likeliest(logits.data + i * 5, 5) == answer[static_cast<size_t>(i)]);
    }
  }
  // What a reader sees of the encoder is this source's.
  const ConstView weights = trainer.cache().at("encoder.layers.0.self_attn.weights");
  CHECK(weights.shape == Shape{1, 1, 5, 5});
}

TEST_CASE("a learned scale begins as the usual one and moves") {
  TrainerConfig config = small_trainer();
  Trainer fixed(config);
  config.model.layer.attention.learned_scale = true;
  Trainer learned(config);
  CHECK(learned.evaluate(10).loss == fixed.evaluate(10).loss);
  const int index = learned.parameters().find("layers.0.self_attn.scale");
  const auto scale = [&] { return *std::as_const(learned).parameters().value(index).data; };
  CHECK(scale() == 0.25f);
  learned.step();
  CHECK(scale() != 0.25f);
  config.model.layer.attention.scale = 0.5f;
  CHECK(*Trainer(config).parameters().value(index).data == 0.5f);
  config.model.layer.attention.scale.reset();
  config.model.layer.attention.cosine = true;
  CHECK(*Trainer(config).parameters().value(index).data == 4.0f);
}

TEST_CASE("models with a learned scale, cosine attention, QK-norm and other parts train and continue") {
  const auto check = [](auto change) {
    TrainerConfig config = small_trainer();
    config.optimizer.learning_rate = 5e-3;
    config.model.layer.attention.n_heads = 2;
    change(config);
    Trainer trainer(config);
    const double before = trainer.evaluate(50).loss;
    for (int i = 0; i < 60; ++i) trainer.step();
    CHECK(trainer.evaluate(50).loss < before - 0.3);
    const std::vector<uint8_t> file = trainer.save();
    Trainer restored(checkpoint_config(file));
    restored.restore(file);
    CHECK(restored.step().loss == trainer.step().loss);
    CHECK(restored.weight_hash() == trainer.weight_hash());
  };
  check([](TrainerConfig& config) { config.model.layer.attention.learned_scale = true; });
  check([](TrainerConfig& config) { config.model.layer.attention.cosine = true; });
  check([](TrainerConfig& config) { config.model.layer.attention.qk_norm = true; });
  check([](TrainerConfig& config) {
    config.model.layer.norm_first = false;
    config.model.layer.norm = NormKind::kRms;
    config.model.positions = Positions::kRotary;
    config.model.layer.attention.softcap = 20;
    config.model.layer.attention.n_kv_heads = 1;
  });
  check([](TrainerConfig& config) {
    config.topology = Topology::kEncoderDecoder;
    config.model.layer.feed_forward = FeedForwardKind::kSwiglu;
    config.model.positions = Positions::kSinusoidal;
    config.model.scale_embedding = true;
    config.initialization = {};
    config.initialization.embedding_std = 0.125f;
    config.model.layer.attention.d_head = 12;
  });
  check([](TrainerConfig& config) {
    config.topology = Topology::kDecoder;
    config.model.tied = true;
    config.initialization = {};
    config.initialization.embedding_std = 0.1f;
    config.model.layer.feed_forward = FeedForwardKind::kGeluTanh;
  });
}

TEST_CASE("a character model goes on where the source ends") {
  TrainerConfig config = small_trainer();
  config.task = {"characters", 8, 0, "abcdefghijklmnopqrstuvwxyz"};
  CHECK_THROWS_AS(Trainer{config}, ValueError);  // an encoder has no place for the answer
  config.topology = Topology::kDecoder;
  config.optimizer.learning_rate = 1e-2;
  Trainer trainer(config);
  CHECK(trainer.model().config().vocab == 26);
  CHECK(trainer.model().config().context == 8);
  for (int i = 0; i < 150; ++i) trainer.step();
  CHECK(trainer.evaluate(50).token_accuracy > 0.95);
  CHECK(trainer.answer(std::vector<int32_t>{2}) == std::vector<int32_t>{3, 4, 5, 6, 7, 8, 9, 10});
}
