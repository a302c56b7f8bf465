#include "base/errors.h"
#include "experiments/run.h"

namespace sqrtdk {
namespace {

TEST_CASE("registry: ids are unique and found, unknown ones are answered with the known") {
  std::string known;
  for (const Experiment* experiment : all_experiments()) {
    CHECK(&find_experiment(experiment->id) == experiment);
    CHECK(*experiment->question != 0);
    CHECK(*experiment->source != 0);
    CHECK(Params::parse(experiment->id, experiment->params, {}).text().size() == experiment->params.size());
    known.append(known.empty() ? "" : ", ").append(experiment->id);
  }
  try {
    find_experiment("no_such");
    FAIL_CHECK("found");
  } catch (const ValueError& error) {
    CHECK(error.code == ErrorCode::kUnknownName);
    CHECK(error.expected == known);
    CHECK(error.got == "no_such");
  }
}

TEST_CASE("registry: presets are found by their names, and are settings of their experiment") {
  for (const Experiment* experiment : all_experiments()) {
    for (const Preset& preset : experiment->presets) {
      CAPTURE(preset.name);
      CHECK(&find_preset(*experiment, preset.name) == &preset);
      const std::map<std::string, std::string> texts(preset.texts.begin(), preset.texts.end());
      CHECK(texts.size() == preset.texts.size());
      const Params params = Params::parse(experiment->id, experiment->params, texts);
      CHECK(estimated_work(experiment->id, texts) > 0);
      for (const auto& [name, text] : params.text()) {
        if (texts.contains(name)) CHECK(texts.at(name) == text);
      }
    }
  }
  const auto expected = [](const char* id) {
    try {
      find_preset(find_experiment(id), "no_such");
    } catch (const ValueError& error) {
      return error.expected;
    }
    return std::string("found");
  };
  CHECK(expected("training_race").starts_with("headline, dose_response, "));
  CHECK(expected("score_variance") == "none");
}

}  // namespace
}  // namespace sqrtdk
