#include "training/run.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "reference/allocations.h"
#include "reference/compare.h"
#include "reference/thrown_by.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void check_same(const Record& a, const Record& b) {
  CHECK(a.step == b.step);
  CHECK(same(a.loss, b.loss));
  CHECK(same(a.learning_rate, b.learning_rate));
  CHECK(same(a.gradient_norm, b.gradient_norm));
  CHECK(a.evaluation.loss == b.evaluation.loss);
  CHECK(a.evaluation.token_accuracy == b.evaluation.token_accuracy);
  CHECK(a.evaluation.sequence_accuracy == b.evaluation.sequence_accuracy);
  REQUIRE(a.layers.size() == b.layers.size());
  for (size_t i = 0; i < a.layers.size(); ++i) {
    CHECK(a.layers[i].layer == b.layers[i].layer);
    CHECK(same(a.layers[i].norm, b.layers[i].norm));
  }
  REQUIRE(a.heads.size() == b.heads.size());
  for (size_t i = 0; i < a.heads.size(); ++i) {
    CHECK(a.heads[i].attention == b.heads[i].attention);
    CHECK(a.heads[i].head == b.heads[i].head);
    CHECK(a.heads[i].entropy == b.heads[i].entropy);
    CHECK(a.heads[i].saturated == b.heads[i].saturated);
  }
  REQUIRE(a.score_gradients.size() == b.score_gradients.size());
  for (size_t i = 0; i < a.score_gradients.size(); ++i) {
    CHECK(a.score_gradients[i].attention == b.score_gradients[i].attention);
    CHECK(a.score_gradients[i].mean == b.score_gradients[i].mean);
    CHECK(a.score_gradients[i].median == b.score_gradients[i].median);
  }
}

void check_same(const std::vector<Record>& a, const std::vector<Record>& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) check_same(a[i], b[i]);
}

// Records every third step into `records`.
RunOptions recording(std::vector<Record>& records) {
  RunOptions options{3, 20, 4};
  options.on_record = [&](const Record& record) { records.push_back(record); };
  return options;
}

TrainerConfig dropping_trainer() {
  TrainerConfig config = small_trainer();
  config.model.n_layers = 2;
  config.model.layer.attention.n_heads = 2;
  config.model.layer.attention.dropout = 0.1f;
  config.schedule = {.warmup_steps = 5, .total_steps = 12};
  config.max_gradient_norm = 0.5;
  return config;
}

}  // namespace

TEST_CASE("a record is what the trainer says of itself, at the start and after every third step") {
  const TrainerConfig config = dropping_trainer();
  std::vector<Record> records, expected;
  Trainer trainer(config), by_hand(config);
  run(trainer, 8, recording(records));

  const double unknown = std::numeric_limits<double>::quiet_NaN();
  StepResult last{0, unknown, unknown, unknown, false};
  for (int64_t step = 0; step <= 8; ++step) {
    if (step > 0) last = by_hand.step();
    if (step % 3 != 0) continue;
    Record record{step, last.loss, last.learning_rate, last.gradient_norm, {}, {}, {}, {}};
    record.score_gradients = score_gradients(by_hand.row_gradients(4));
    record.layers = by_hand.layer_gradient_norms();
    record.heads = by_hand.look_at_heads(4);
    record.evaluation = by_hand.evaluate(20);
    expected.push_back(record);
  }
  REQUIRE(records.size() == 3);
  check_same(records, expected);
  CHECK(records[1].layers.size() == 6);  // embedding, positions, two layers, norm, head
  CHECK(records[1].heads.size() == 4);
  CHECK(records[1].score_gradients.size() == 2);
  CHECK(records[1].learning_rate == doctest::Approx(config.optimizer.learning_rate * 3 / 5).scale(0));
  CHECK(trainer.save() == by_hand.save());
}

TEST_CASE("pieces, stops and checkpoints change no bit and no record") {
  const TrainerConfig config = dropping_trainer();
  std::vector<Record> records;
  Trainer whole(config);
  run(whole, 12, recording(records));
  CHECK(records.size() == 5);  // 0, 3, 6, 9, 12

  SUBCASE("in pieces") {
    std::vector<Record> others;
    Trainer trainer(config);
    for (const int64_t n : {0, 1, 2, 0, 3, 5, 1}) run(trainer, n, recording(others));
    check_same(others, records);
    CHECK(trainer.save() == whole.save());
  }
  SUBCASE("stopped after each step, on from a checkpoint of it") {
    for (int64_t stop = 1; stop <= 12; ++stop) {
      CAPTURE(stop);
      std::vector<Record> others;
      RunOptions options = recording(others);
      options.on_step = [&](const StepResult& result) { return result.step < stop; };
      Trainer trainer(config);
      CHECK_THROWS_AS(run(trainer, 12, options), Cancelled);
      CHECK(trainer.steps() == stop);
      Trainer restored(config);
      restored.restore(trainer.save());
      for (Trainer* const each : {&trainer, &restored}) {
        std::vector<Record> rest = others;
        run(*each, 12 - stop, recording(rest));
        check_same(rest, records);
        CHECK(each->save() == whole.save());
      }
    }
  }
  SUBCASE("without records") {
    Trainer trainer(config);
    run(trainer, 12, {});
    CHECK(trainer.save() == whole.save());
  }
}

TEST_CASE("on_step sees each step, after its record") {
  std::vector<int64_t> order;
  RunOptions options{2, 8, 2};
  options.on_record = [&](const Record& record) { order.push_back(-record.step); };
  options.on_step = [&](const StepResult& result) {
    order.push_back(result.step);
    return true;
  };
  Trainer trainer(small_trainer()), by_hand(small_trainer());
  run(trainer, 5, options);
  CHECK(order == std::vector<int64_t>{0, 1, -2, 2, 3, -4, 4, 5});
  by_hand.step();
  options.on_step = [&](const StepResult& result) {
    CHECK(result.loss == by_hand.step().loss);
    return true;
  };
  Trainer again(small_trainer());
  again.step();
  run(again, 3, options);
}

TEST_CASE("while it is told, the attention weights of a record lie in the cache") {
  Trainer trainer(small_trainer());
  RunOptions options{1, 8, 3};
  options.on_record = [&](const Record& record) {
    const View weights = trainer.cache().at("layers.0.self_attn.weights");
    CHECK(weights.shape == Shape{3, 1, 6, 6});
    const std::vector<HeadRecord> heads = head_records(trainer.cache(), trainer.model().attentions());
    CHECK(heads[0].entropy == record.heads[0].entropy);
  };
  run(trainer, 2, options);
}

TEST_CASE("an error keeps the last whole step, and makes no record of the one that failed") {
  std::vector<Record> records;
  Trainer trainer(small_trainer());
  run(trainer, 5, recording(records));
  const std::vector<uint8_t> before = trainer.save();
  float& weight = trainer.parameters().value(trainer.parameters().find("head.bias")).data[1];
  const float kept = weight;
  weight = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_AS(run(trainer, 5, recording(records)), ValueError);
  weight = kept;
  CHECK(trainer.save() == before);
  CHECK(records.size() == 2);
  run(trainer, 1, recording(records));
  CHECK(records.size() == 3);
}

TEST_CASE("runs refuse invalid options before anything happens") {
  Trainer trainer(small_trainer());
  const auto refused = [&](const char* argument, int64_t n, RunOptions options) {
    CAPTURE(argument);
    int calls = 0;
    options.on_record = [&](const Record&) { ++calls; };
    options.on_step = [&](const StepResult&) { return ++calls > 0; };
    const ValueError error = thrown_by<ValueError>([&] { run(trainer, n, options); });
    CHECK(error.argument == argument);
    CHECK(calls == 0);
    CHECK(trainer.steps() == 0);
  };
  refused("n", -1, {});
  refused("record_every", 1, {.record_every = -1});
  refused("examples", 1, {.record_every = 1, .examples = 0});
  constexpr int64_t kLargest = int64_t{1} << 53;  // that a JavaScript number tells from its neighbours
  refused("record_every", 1, {.record_every = kLargest + 1});
  refused("examples", 1, {.record_every = 1, .examples = kLargest + 1});
  refused("head_examples", 1, {.record_every = 1, .head_examples = 0});
  refused("head_examples", 1, {.record_every = 1, .head_examples = 4097});
}

TEST_CASE("records that nobody keeps take no memory") {
  Trainer trainer(small_trainer());
  RunOptions options{1, 20, 4};
  options.on_record = [](const Record&) {};
  const auto peak = [&](int64_t steps) {
    const PeakMemory memory;
    run(trainer, steps, options);
    return memory.bytes();
  };
  peak(2);
  const size_t temporary = peak(2);
  CHECK(temporary < 65536);
  CHECK(peak(40) == temporary);
}
