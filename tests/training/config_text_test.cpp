#include "training/config_text.h"

#include <doctest/doctest.h>

#include "base/errors.h"
#include "reference/thrown_by.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

ConfigField field_of(const TrainerConfig& config, const std::string& name) {
  for (const ConfigField& field : config_fields(config)) {
    if (field.name == name) return field;
  }
  FAIL("no such field");
  return {};
}

}  // namespace

TEST_CASE("fields say what they are and have, in the order of the metadata") {
  const TrainerConfig config = small_trainer();
  const Metadata written = config_metadata(config);
  const std::vector<ConfigField> fields = config_fields(config);
  REQUIRE(fields.size() == written.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    CHECK("config." + fields[i].name == written[i].first);
    CHECK(fields[i].value == written[i].second);
  }
  CHECK(field_of(config, "norm").expected == "layer, rms");
  CHECK(field_of(config, "tied").expected == "true, false");
  CHECK(field_of(config, "d_model").expected == "integer");
  CHECK(field_of(config, "dropout").expected == "number");
  CHECK(field_of(config, "scale").expected == "number or default");
  CHECK(field_of(config, "task").expected == "text");
}

TEST_CASE("each field can be set from its text alone") {
  TrainerConfig other = small_trainer();
  other.task = {"recall", 3, 7, "some text"};
  other.topology = Topology::kDecoder;
  other.model.positions = Positions::kRotary;
  other.model.tied = true;
  other.model.layer.attention.scale = -0.25f;
  other.optimizer.learning_rate = 0.1 / 3;
  other.seed = UINT64_MAX;
  TrainerConfig config;
  for (const ConfigField& field : config_fields(other)) set_field(config, field.name, field.value, "op");
  CHECK(config_metadata(config) == config_metadata(other));
  set_field(config, "scale", "default", "op");
  CHECK_FALSE(config.model.layer.attention.scale);
  set_field(config, "length", "-3", "op");
  CHECK(config.task.length == -3);  // the trainer refuses it
}

TEST_CASE("a field that cannot be set is named, with what is expected, and nothing changes") {
  const auto refused = [](const char* name, const char* text, ErrorCode code, const char* expected) {
    CAPTURE(name);
    CAPTURE(text);
    TrainerConfig config = small_trainer();
    config.model.layer.attention.scale = 2.0f;
    const Metadata before = config_metadata(config);
    const ValueError error = thrown_by<ValueError>([&] { set_field(config, name, text, "op"); });
    CHECK(error.code == code);
    CHECK(error.op == "op");
    CHECK(error.argument == name);
    CHECK(error.expected == expected);
    CHECK(error.got == text);
    CHECK(config_metadata(config) == before);
  };
  refused("norm", "batch", ErrorCode::kNotAChoice, "layer, rms");
  refused("tied", "yes", ErrorCode::kNotAChoice, "true, false");
  for (const char* text : {"", "-", "1.5", "1e3", "9223372036854775808", "-9223372036854775808", " 1"}) {
    refused("d_model", text, ErrorCode::kNotANumber, "integer");
  }
  refused("seed", "-1", ErrorCode::kNotANumber, "integer from 0 to 18446744073709551615");
  refused("seed", "18446744073709551616", ErrorCode::kNotANumber, "integer from 0 to 18446744073709551615");
  refused("dropout", "nan", ErrorCode::kNotANumber, "number");
  refused("learning_rate", "fast", ErrorCode::kNotANumber, "number");
  refused("scale", "none", ErrorCode::kNotANumber, "number or default");
  TrainerConfig config;
  CHECK_THROWS_WITH_AS(set_field(config, "d_modle", "1", "op"), doctest::Contains("d_model, n_heads"),
                       ValueError);
}
