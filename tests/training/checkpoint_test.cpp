#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/errors.h"
#include "reference/compare.h"
#include "reference/thrown_by.h"
#include "training/config_text.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

TrainerConfig odd_config() {
  TrainerConfig config = small_trainer(0xFFFFFFFFFFFFFFFF);
  config.task = {"recall", 3, 7};
  config.topology = Topology::kDecoder;
  config.model.positions = Positions::kRotary;
  config.model.layer.attention.dropout = 0.1f;
  config.model.layer.attention.scale = 0.3f;
  config.model.layer.feed_forward = FeedForwardKind::kSwiglu;
  config.model.layer.norm = NormKind::kRms;
  config.optimizer.kind = OptimizerKind::kAdamW;
  config.optimizer.learning_rate = 0.1 / 3;
  config.schedule = {2, 100, 0.1};
  config.max_gradient_norm = 1;
  config.label_smoothing = 0.1f;
  return config;
}

void refused(Trainer& trainer, std::vector<uint8_t> file) {
  const uint64_t before = trainer.weight_hash();
  const std::vector<float> state = moments(trainer.optimizer());
  const int64_t steps = trainer.steps();
  CHECK_THROWS_AS(trainer.restore(file), FormatError);
  CHECK(trainer.weight_hash() == before);
  CHECK(same_bits(moments(trainer.optimizer()), state));
  CHECK(trainer.steps() == steps);
}

}  // namespace

TEST_CASE("pausing and restoring gives the same bits as not pausing") {
  TrainerConfig sgd = small_trainer();
  sgd.optimizer.kind = OptimizerKind::kSgd;
  sgd.optimizer.learning_rate = 0.05;
  TrainerConfig momentum = sgd;
  momentum.optimizer.momentum = 0.9;
  for (const TrainerConfig& config : {small_trainer(), odd_config(), sgd, momentum}) {
    Trainer straight(config);
    std::vector<uint8_t> file;
    for (int i = 0; i < 12; ++i) {
      if (i == 7) file = straight.save();
      straight.step();
    }
    Trainer restored(checkpoint_config(file));
    restored.step();  // what it did before does not matter
    restored.restore(file);
    CHECK(restored.steps() == 7);
    CHECK(restored.save() == file);
    for (int i = 7; i < 12; ++i) restored.step();
    CHECK(restored.weight_hash() == straight.weight_hash());
    CHECK(restored.save() == straight.save());
    CHECK(restored.evaluate(10).loss == straight.evaluate(10).loss);
  }
}

TEST_CASE("a pause after a skipped step keeps how many steps the optimizer has made") {
  TrainerConfig config = small_trainer();
  config.optimizer.non_finite = NonFinite::kSkip;
  Trainer straight(config);
  for (int i = 0; i < 3; ++i) straight.step();
  float& broken = straight.parameters().value(straight.parameters().find("head.bias")).data[2];
  const float kept = std::exchange(broken, std::numeric_limits<float>::quiet_NaN());
  CHECK_FALSE(straight.step().updated);
  broken = kept;
  Trainer restored(config);
  restored.restore(straight.save());
  CHECK(restored.steps() == 4);
  CHECK(restored.optimizer().steps() == 3);
  for (int i = 0; i < 3; ++i) {
    straight.step();
    restored.step();
  }
  CHECK(restored.optimizer().steps() == 6);
  CHECK(restored.weight_hash() == straight.weight_hash());
}

TEST_CASE("after a restore there is no last step whose gradients could be asked for") {
  Trainer trainer(small_trainer());
  const std::vector<uint8_t> beginning = trainer.save();
  trainer.step();
  for (const GradientNorm& norm : trainer.layer_gradient_norms()) CHECK(norm.norm > 0);
  trainer.restore(beginning);
  CHECK_FALSE(trainer.layer_gradient_norms().empty());
  for (const GradientNorm& norm : trainer.layer_gradient_norms()) CHECK(std::isnan(norm.norm));
}

TEST_CASE("a checkpoint has every field of the config") {
  for (const TrainerConfig& config : {small_trainer(), odd_config()}) {
    const Metadata written = config_metadata(config);
    CHECK(written.size() == 55);
    CHECK(config_metadata(read_config(written, "op", "file")) == written);
    CHECK(Trainer(read_config(written, "op", "file")).weight_hash() == Trainer(config).weight_hash());
  }
  CHECK(config_metadata(small_trainer()) != config_metadata(odd_config()));
}

TEST_CASE("what a trainer accepts, it can read again; an invalid configuration it refuses at once") {
  TrainerConfig config = small_trainer();
  config.schedule.total_steps = INT64_MAX;
  CHECK(checkpoint_config(Trainer(config).save()).schedule.total_steps == INT64_MAX);
  for (const float wrong : {NAN, INFINITY, -1.0f}) {
    TrainerConfig softcap = small_trainer(), epsilon = small_trainer();
    softcap.model.layer.attention.softcap = wrong;
    epsilon.model.layer.epsilon = wrong;
    CHECK_THROWS_AS(Trainer{softcap}, ValueError);
    CHECK_THROWS_AS(Trainer{epsilon}, ValueError);
  }
}

TEST_CASE("a checkpoint's config needs the numbers of its model") {
  for (const Topology topology : {Topology::kEncoder, Topology::kEncoderDecoder}) {
    TrainerConfig config = small_trainer();
    config.topology = topology;
    const Trainer trainer(config);
    const std::vector<uint8_t> file = trainer.save();
    const SafeTensors contents = read_safetensors(file, "op", "file");
    const Metadata metadata = read_metadata(contents.metadata);
    CHECK_NOTHROW(checkpoint_config(file));
    const auto refused_with = [&](const std::string& field, const std::string& text) {
      CAPTURE(field);
      Metadata other = metadata;
      for (auto& [name, value] : other) {
        if (name == "config." + field) value = text;
      }
      CHECK(other != metadata);
      std::vector<TensorToWrite> tensors;
      for (const Parameter& parameter : trainer.parameters().list()) {
        tensors.push_back({parameter.name, trainer.parameters().value(static_cast<int>(tensors.size()))});
      }
      CHECK_THROWS_AS(checkpoint_config(write_safetensors(tensors, Encoding::kF32, other)), FormatError);
    };
    // Each of which would take gigabytes, or all there is.
    for (const char* field : {"d_model", "d_ff", "d_head", "n_heads", "n_kv_heads", "n_layers"}) {
      refused_with(field, "16777216");
      refused_with(field, "4611686018427387904");
      refused_with(field, "-1");
    }
    CHECK(thrown_by<FormatError>([&] {
            checkpoint_config(write_safetensors({}, Encoding::kF32, metadata));
          }).got == "0");  // columns of embedding.weight
    refused_with("n_layers", "1024");
    refused_with("task", "none");
    refused_with("symbols", "7");
  }
}

TEST_CASE("fields stand under their names") {
  TrainerConfig config = odd_config();
  config.optimizer.momentum = 0.5, config.optimizer.dampening = 0.25, config.optimizer.rate_decay = 0.75;
  config.optimizer.weight_decay = 0.125, config.optimizer.nesterov = true;
  const Metadata written = config_metadata(config);
  const std::pair<const char*, const char*> expected[] = {{"task", "recall"},
                                                          {"length", "3"},
                                                          {"symbols", "7"},
                                                          {"topology", "decoder"},
                                                          {"positions", "rotary"},
                                                          {"n_layers", "1"},
                                                          {"d_model", "16"},
                                                          {"feed_forward", "swiglu"},
                                                          {"norm", "rms"},
                                                          {"dropout", "0.100000001"},
                                                          {"scale", "0.300000012"},
                                                          {"init", "xavier_uniform"},
                                                          {"optimizer", "adamw"},
                                                          {"momentum", "0.5"},
                                                          {"dampening", "0.25"},
                                                          {"rate_decay", "0.75"},
                                                          {"weight_decay", "0.125"},
                                                          {"nesterov", "true"},
                                                          {"beta1", "0.90000000000000002"},
                                                          {"beta2", "0.999"},
                                                          {"epsilon", "1e-08"},
                                                          {"warmup_steps", "2"},
                                                          {"total_steps", "100"},
                                                          {"final_fraction", "0.10000000000000001"},
                                                          {"max_gradient_norm", "1"},
                                                          {"batch", "8"},
                                                          {"seed", "18446744073709551615"}};
  for (const auto& field : expected) {
    CAPTURE(field.first);
    const std::pair<std::string, std::string> pair{std::string("config.") + field.first, field.second};
    CHECK(std::find(written.begin(), written.end(), pair) != written.end());
  }
  const TrainerConfig read = read_config(written, "op", "file");
  CHECK(read.optimizer.dampening == 0.25);
  CHECK(read.optimizer.learning_rate == config.optimizer.learning_rate);
  CHECK(read.seed == config.seed);
  CHECK_FALSE(read_config(config_metadata(small_trainer()), "op", "file").model.layer.attention.scale);
}

TEST_CASE("a field that is missing or wrong is named") {
  const Metadata written = config_metadata(odd_config());
  for (size_t i = 0; i < written.size(); ++i) {
    CAPTURE(written[i].first);
    const auto fails = [&](const Metadata& metadata) {
      const FormatError error = thrown_by<FormatError>([&] { read_config(metadata, "op", "file"); });
      CHECK(error.expected.starts_with(written[i].first));
    };
    Metadata shorter = written;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
    fails(shorter);
    if (written[i].first == "config.task" || written[i].first == "config.text") continue;  // any text
    for (const char* wrong : {"", "x", "1x"}) {
      Metadata other = written;
      other[i].second = wrong;
      fails(other);
    }
  }
}

TEST_CASE("files that are no checkpoint of this config change nothing") {
  Trainer trainer(small_trainer());
  trainer.step();
  std::vector<uint8_t> file = trainer.save();
  trainer.step();
  TrainerConfig other = small_trainer();
  other.optimizer.beta1 = 0.5;
  Trainer forgetful(other);
  refused(forgetful, file);
  other = small_trainer();
  other.model.layer.attention.d_model = 8;
  Trainer smaller(other);
  refused(smaller, file);
  refused(trainer, {});
  for (const size_t cut : {size_t{8}, size_t{100}, file.size() / 2, file.size() - 1}) {
    refused(trainer, {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(cut)});
  }
  for (const char* wrong_rate : {"-.001", "1e999"}) {
    CAPTURE(wrong_rate);
    const std::string name = "config.learning_rate", rate = "0.001";
    std::vector<uint8_t> wrong = file;
    const auto field = std::search(wrong.begin(), wrong.end(), name.begin(), name.end());
    const auto found = std::search(field, wrong.end(), rate.begin(), rate.end());
    REQUIRE(found != wrong.end());
    std::copy_n(wrong_rate, rate.size(), found);
    refused(trainer, wrong);
  }
  // Names of the header changed, one letter each.
  for (const std::string name :
       {"optimizer.0", "optimizer.1", "head.bias", "\"steps", "optimizer.steps", "config.seed"}) {
    CAPTURE(name);
    std::vector<uint8_t> wrong = file;
    const auto found = std::search(wrong.begin(), wrong.end(), name.begin(), name.end());
    REQUIRE(found != wrong.end());
    *(found + static_cast<std::ptrdiff_t>(name.size()) - 1) = 'z';
    refused(trainer, wrong);
  }
  trainer.restore(file);
  CHECK(trainer.steps() == 1);
}

TEST_CASE("a moment of another shape changes nothing, though it has as many numbers") {
  Trainer trainer(small_trainer());
  trainer.step();
  const std::vector<uint8_t> file = trainer.save();
  const SafeTensors read = read_safetensors(file, "test", "file");
  std::vector<std::vector<float>> numbers;
  for (const NamedTensor& tensor : read.tensors) {
    write_values(tensor, numbers.emplace_back(static_cast<size_t>(tensor.shape.size())).data());
  }
  trainer.step();
  const auto written = [&](const char* name, const Shape& shape) {
    std::vector<TensorToWrite> tensors;
    for (size_t i = 0; i < numbers.size(); ++i) {
      const NamedTensor& tensor = read.tensors[i];
      tensors.push_back({tensor.name, {numbers[i].data(), tensor.name == name ? shape : tensor.shape}});
    }
    return write_safetensors(tensors, Encoding::kF32, read_metadata(read.metadata));
  };
  const int64_t n = trainer.parameters().size();
  for (const Shape& shape : {Shape{1, n}, Shape{n - 1}}) refused(trainer, written("optimizer.1", shape));
  trainer.restore(written("optimizer.1", {n}));
  CHECK(trainer.steps() == 1);
}

TEST_CASE("a checkpoint's steps are an integer below 1e15, however many digits are written") {
  Trainer trainer(small_trainer());
  trainer.step();
  const std::vector<uint8_t> file = trainer.save();
  const auto with_steps = [&](const std::string& name, const std::string& text) {
    const SafeTensors contents = read_safetensors(file, "op", "file");
    Metadata metadata = read_metadata(contents.metadata);
    for (auto& [key, value] : metadata) {
      if (key == name) value = text;
    }
    std::vector<std::vector<float>> values;
    std::vector<TensorToWrite> tensors;
    for (const NamedTensor& tensor : contents.tensors) {
      values.emplace_back(static_cast<size_t>(tensor.shape.size()));
      write_values(tensor, values.back().data());
      tensors.push_back({tensor.name, {values.back().data(), tensor.shape}});
    }
    return write_safetensors(tensors, Encoding::kF32, metadata);
  };
  for (const std::string name : {"steps", "optimizer.steps"}) {
    CAPTURE(name);
    for (const std::string& text : {std::string(), std::string("-1"), std::string("1x"), std::string("1.5"),
                                    std::string(16, '1'), std::string(20, '9'), std::string(1000, '9')}) {
      CAPTURE(text);
      const std::vector<uint8_t> wrong = with_steps(name, text);
      const FormatError error = thrown_by<FormatError>([&] { trainer.restore(wrong); });
      CHECK(error.op == "restore");
      CHECK(error.argument == "checkpoint");
      CHECK(error.expected == name + ": an integer");
      CHECK(error.got == text);
      refused(trainer, wrong);
    }
  }
  trainer.restore(with_steps("steps", "999999999999999"));
  CHECK(trainer.steps() == 999'999'999'999'999);
}

TEST_CASE("a learning rate that was changed on the way is part of the checkpoint") {
  Trainer trainer(small_trainer());
  trainer.step();
  trainer.set_learning_rate(0.02);
  CHECK(trainer.step().learning_rate == 0.02);
  const std::vector<uint8_t> file = trainer.save();
  CHECK(checkpoint_config(file).optimizer.learning_rate == 0.02);
  trainer.set_learning_rate(0.5);
  Trainer restored(small_trainer());
  for (Trainer* const each : {&trainer, &restored}) {
    each->restore(file);
    CHECK(each->config().optimizer.learning_rate == 0.02);
    CHECK(each->step().learning_rate == 0.02);
  }
  CHECK(trainer.save() == restored.save());
}
