#include <doctest/doctest.h>

#include <cmath>

#include "lab/small_result.h"

namespace sqrtdk {
namespace {

using test::small_result;

TEST_CASE("json: the whole form") {
  const Experiment experiment{.id = "id",
                              .question = "why?",
                              .source = "article 1",
                              .group = Group::kRest,
                              .params = {},
                              .run = nullptr};
  const std::vector<Param> description = {{.name = "d", .kind = IntParam{}, .default_value = "8"}};
  const Run run{&experiment, Params::parse("id", description, {}), small_result()};
  CHECK(
      run_json(run) ==
      R"({"experiment":"id","params":{"d":"8"},"lines":["a \"quoted\"\\ line\n"],)"
      R"("scalars":[{"name":"softmax_max","at":{"d":"32","scale":"none"},"value":0.10000000000000001,"se":0.5,)"
      R"("expected":1,"std":2,"p10":3,"p50":4,"p90":5},{"name":"nothing","at":{},"value":null}],)"
      R"("figures":[{"name":"weights","at":{"d":"32"},"kind":"bars","x":"key","y":"weight","log_x":false,)"
      R"("log_y":false,"y_max":1,"series":[{"name":"scaled","role":"scaled","x":[1,2],"y":[0.25,null],)"
      R"("y_se":[0.5,0.125]},{"name":"band","role":"other","x":[1],"y":[2],"low":[1.5],"high":[4]}]},{"name":"map","at":{},"kind":"heatmap","x":"key","y":"query","z":"weight",)"
      R"("log_x":false,"log_y":false,"series":[],"grid":{"n_rows":1,"n_cols":2,"rows":["cat"],"cols":["sat","on"],)"
      R"("values":[0.10000000000000001,null]}}],"holds":false,"verdict":"key","hash":")" +
          result_hash(run.result) + R"("})");
}

TEST_CASE("json: the numbers of printed lines, where a view shows them") {
  const Experiment experiment{
      .id = "id", .question = "", .source = "", .group = Group::kRest, .params = {}, .run = nullptr};
  Result result;
  result.printed = {{.name = "a", .at = {}, .value = 1}, {.name = "b", .at = {}, .value = 2}};
  const std::string json = run_json({&experiment, {}, result});
  CHECK(json.find(R"("lines":[],"printed":[{"name":"a","at":{},"value":1},{"name":"b","at":{},"value":2}],)"
                  R"("scalars":[],"figures":[],"holds":true)") != std::string::npos);
}

TEST_CASE("json: a claim that cannot be judged neither holds nor fails") {
  const Experiment experiment{
      .id = "id", .question = "", .source = "", .group = Group::kRest, .params = {}, .run = nullptr};
  Result result;
  const auto written = [&] { return run_json({&experiment, {}, result}); };
  result.judge(true, "yes", "no");
  CHECK(written().find(R"("holds":true,"verdict":"yes")") != std::string::npos);
  result.judge(false, "yes", "no");
  CHECK(written().find(R"("holds":false,"verdict":"no")") != std::string::npos);
  result.cannot_be_judged("why");
  CHECK(written().find(R"("holds":null,"verdict":"why")") != std::string::npos);
}

TEST_CASE("json: infinities can be read back") {
  Result result;
  result.scalars = {{.name = "a", .at = {}, .value = HUGE_VAL}, {.name = "b", .at = {}, .value = -HUGE_VAL}};
  const Experiment experiment{
      .id = "id", .question = "", .source = "", .group = Group::kRest, .params = {}, .run = nullptr};
  const std::string json = run_json({&experiment, {}, result});
  CHECK(json.find(R"("value":1e999)") != std::string::npos);
  CHECK(json.find(R"("value":-1e999)") != std::string::npos);
}

TEST_CASE("json: descriptions") {
  static constexpr const char* kRngs[] = {"philox", "torch"};
  static constexpr Condition kConditions[] = {{"rng", "torch"}, {"words", "", false}};
  static constexpr Param kParams[] = {
      {.name = "d", .kind = IntListParam{1, 16384, 16}, .default_value = "8"},
      {.name = "rng", .kind = ChoiceParam{kRngs}, .default_value = "philox"},
      {.name = "q", .kind = MatrixParam{1, ".csv"}, .default_value = "", .shown_when = kConditions},
      {.name = "words", .kind = TextParam{280}, .default_value = "the cat"},
      {.name = "model", .kind = FileParam{4096}, .default_value = "", .group = "own"}};
  static constexpr std::pair<const char*, const char*> kTexts[] = {{"d", "64"}, {"words", "a\nb"}};
  static constexpr Preset kPresets[] = {{"wide", kTexts}, {"usual", {}}};
  const Experiment experiment{
      .id = "id",
      .question = "why?",
      .source = "article 1",
      .group = Group::kWhy,
      .chapter = 3,
      .params = kParams,
      .run = nullptr,
      .presets = kPresets,
      .words = {.verdicts = {"agrees"}, .scalars = {"score", "weight"}, .labels = {"d"}, .values = {"mine"}}};
  CHECK(
      describe_json(experiment) ==
      R"({"id":"id","question":"why?","source":"article 1","module":"","group":"why","chapter":3,"params":[)"
      R"({"name":"d","type":"int_list","default":"8","min":1,"max":16384,"max_count":16},)"
      R"({"name":"rng","type":"choice","default":"philox","choices":["philox","torch"]},)"
      R"({"name":"q","type":"matrix","default":"","accept":".csv","shown_when":[)"
      R"({"param":"rng","is":["torch"]},{"param":"words","is_not":[""]}]},)"
      R"({"name":"words","type":"text","default":"the cat","max_count":280},)"
      R"({"name":"model","type":"file","default":"","max_count":4096,"group":"own"}],)"
      R"("presets":[{"name":"wide","params":{"d":"64","words":"a\nb"}},{"name":"usual","params":{}}],)"
      R"("words":{"verdicts":["agrees"],"scalars":["score","weight"],"symbols":["d"],"choices":["mine"]}})");
  std::string all;
  for (const Experiment* each : all_experiments())
    all.append(all.empty() ? "" : ",").append(describe_json(*each));
  CHECK(describe_all_json() == "[" + all + "]");
}

}  // namespace
}  // namespace sqrtdk
