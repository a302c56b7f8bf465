// A record as a row of numbers, and the names of its columns.
#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "base/text.h"
#include "reference/thrown_by.h"
#include "training/run.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("columns name what a row holds") {
  TrainerConfig config = small_trainer();
  config.model.layer.attention.n_heads = 2;
  Trainer trainer(config);
  CHECK(joined(record_columns(trainer), " ") + " " ==
        "step loss learning_rate gradient_norm evaluation_loss token_accuracy sequence_accuracy "
        "gradient_norm.embedding gradient_norm.positions gradient_norm.layers.0 gradient_norm.norm "
        "gradient_norm.head dscores_mean.layers.0.self_attn dscores_median.layers.0.self_attn "
        "entropy.layers.0.self_attn.0 entropy.layers.0.self_attn.1 saturated.layers.0.self_attn.0 "
        "saturated.layers.0.self_attn.1 ");

  const StepResult last = trainer.step();
  const Record record = sqrtdk::record(trainer, last, {.examples = 20, .head_examples = 4});
  const std::vector<double> row = record_row(record);
  REQUIRE(row.size() == 18);
  CHECK(row[0] == 1);
  CHECK(row[1] == last.loss);
  CHECK(row[2] == last.learning_rate);
  CHECK(row[3] == last.gradient_norm);
  const Evaluation evaluation = trainer.evaluate(20);
  CHECK(row[4] == evaluation.loss);
  CHECK(row[5] == evaluation.token_accuracy);
  CHECK(row[6] == evaluation.sequence_accuracy);
  for (size_t i = 0; i < 5; ++i) CHECK(row[7 + i] == record.layers[i].norm);
  CHECK(row[12] == record.score_gradients[0].mean);
  CHECK(row[13] == record.score_gradients[0].median);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(row[14 + i] == record.heads[i].entropy);
    CHECK(row[16 + i] == record.heads[i].saturated);
  }
}

TEST_CASE("columns of a config are those of its trainer, and as many as numbers in a row") {
  for (const Topology topology : {Topology::kEncoder, Topology::kDecoder, Topology::kEncoderDecoder}) {
    TrainerConfig config = small_trainer();
    config.topology = topology;
    config.model.n_layers = 2, config.model.layer.attention.n_heads = 4;
    config.model.layer.attention.learned_scale = true, config.model.layer.attention.tied_kv = true;
    Trainer trainer(config);
    CHECK(record_columns(config) == record_columns(trainer));
    CHECK(record_row(record(trainer, {}, {.examples = 4, .head_examples = 2})).size() ==
          record_columns(config).size());
  }
}

TEST_CASE("records made twice at one step are the same, and say NaN of no step") {
  const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    for (size_t i = 0; i < a.size(); ++i) CHECK((a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))));
  };
  const RunOptions options{.examples = 12, .head_examples = 3};
  Trainer trainer(small_trainer());
  const std::vector<double> first = record_row(record(trainer, {}, options));
  same(record_row(record(trainer, {}, options)), first);
  CHECK(std::isnan(first[1]));
  CHECK(std::isnan(first[7]));
  CHECK(first[12] > 0);
  const StepResult last = trainer.step();
  const std::vector<double> second = record_row(record(trainer, last, options));
  same(record_row(record(trainer, last, options)), second);
  CHECK(second[7] > 0);
  Trainer restored(small_trainer());
  restored.restore(trainer.save());
  CHECK(std::isnan(restored.layer_gradient_norms()[0].norm));
  for (const auto& [argument, refused] : {std::pair("record_every", RunOptions{.record_every = -1}),
                                          std::pair("examples", RunOptions{.examples = 0}),
                                          std::pair("head_examples", RunOptions{.head_examples = 4097})}) {
    const ValueError error = thrown_by<ValueError>([&, &given = refused] { record(trainer, last, given); });
    CHECK(error.op == "run");
    CHECK(error.argument == argument);
  }
}
