// Every way of naming a scale gives the factor that the kernels multiply by, to the last bit.
#include "kernels/attention/scale.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/errors.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/masking.h"
#include "lab/params.h"
#include "reference/thrown_by.h"
#include "training/config_text.h"
#include "training/training_case.h"

using namespace sqrtdk;

namespace {

constexpr const char* kFurther[] = {"default", "learned", "cosine", "own"};
constexpr int64_t kMaxD = 65536;

Scale scale(const char* text) { return parse_scale("test", text, kFurther); }

/// What attention without a given scale multiplies q·k by.
float factor_of_kernels(int64_t d, const std::vector<float>& zeros) {
  const ConstView x{zeros.data(), {1, 1, d}};
  return AttentionCall("test", x, x, x, {}).scale_of(0);
}

/// scores = scale · (1, 0, ..)·(1, 0, ..)
float score_of_kernels(int64_t d) {
  std::vector<float> unit(static_cast<size_t>(d)), out(unit.size());
  unit[0] = 1;
  float score = 0, weight = 0;
  const ConstView x{unit.data(), {1, 1, d}};
  attention_forward(x, x, x, {}, {&score, {1, 1, 1}}, {&weight, {1, 1, 1}}, {out.data(), {1, 1, d}});
  return score;
}

void refuses(const char* text, std::span<const char* const> further, ErrorCode code, const char* expected) {
  CAPTURE(text);
  const ValueError error = thrown_by<ValueError>([&] { parse_scale("test", text, further); });
  CHECK(error.code == code);
  CHECK(error.op == "test");
  CHECK(error.argument == "scale");
  CHECK(error.expected == expected);
  CHECK(error.got == text);
}

}  // namespace

TEST_CASE("scale: every name of the default is the kernels' own factor") {
  const std::vector<float> zeros(static_cast<size_t>(kMaxD));
  constexpr Param kScales[] = {
      {.name = "scale", .kind = ScaleListParam{1, kFurther}, .default_value = "1/sqrt(d)"}};
  const Params params = Params::parse("test", kScales, {});
  const Scale named[] = {Scale(),          scale("default"),          scale("1/sqrt(d)"),
                         scale("learned"), params.scales("scale")[0], scale(" 1 / sqrt( d )\n")};
  int64_t differences = 0;
  for (int64_t d = 1; d <= kMaxD; ++d) {
    const float factor = factor_of_kernels(d, zeros);
    MultiHeadAttentionConfig attention;
    attention.d_head = d;
    for (const Scale& each : named) differences += each.at(d) != factor;
    differences += default_scale(d) != factor;
    differences += scale_of("1/sqrt(d)", attention, "test") != factor;
    differences += scale_of("default", attention, "test").has_value();
  }
  CHECK(differences == 0);
  for (int64_t d = 1; d <= kMaxD; d += 997) CHECK(score_of_kernels(d) == default_scale(d));
}

TEST_CASE("scale: a square root that is rounded first gives other bits, at 96 too") {
  int differences = 0;
  for (int64_t d = 1; d <= 1024; ++d) differences += 1 / std::sqrt(static_cast<float>(d)) != default_scale(d);
  CHECK(differences == 242);
  CHECK(1 / std::sqrt(96.0f) != default_scale(96));
}

TEST_CASE("scale: a trainer's config and what it learns begin with the kernels' factor") {
  TrainerConfig start = reference::small_trainer();
  for (const char* d_head : {"1", "2", "16", "96", "128"}) {
    const float factor = score_of_kernels(std::stoll(d_head));
    const auto config = [&](const char* text) {
      return config_of({{"scale", text}, {"d_head", d_head}}, "test", start);
    };
    CHECK(config("1/sqrt(d)").model.layer.attention.scale == factor);
    CHECK_FALSE(config("default").model.layer.attention.scale);
    CHECK(Trainer(config("default")).first_scale() == factor);
    Trainer learned(config("learned"));
    Parameters& parameters = learned.parameters();
    CHECK(*parameters.value(parameters.find("layers.0.self_attn.scale")).data == factor);
    CHECK(Trainer(config("cosine")).first_scale() == static_cast<float>(std::sqrt(std::stod(d_head))));
  }
}

TEST_CASE("scale: factors") {
  CHECK(scale("none").at(64) == 1.0f);
  CHECK(scale("1/sqrt(d)").at(64) == 0.125f);
  CHECK(scale("1/(2*sqrt(d))").at(64) == 0.0625f);
  CHECK(scale("1/d").at(64) == 0.015625f);
  CHECK(scale("cosine").at(64) == 8);
  CHECK(scale("-0.75").at(64) == -0.75f);
  CHECK(scale("1/sqrt(d)").at(2) == 0.70710678f);
  CHECK(std::isnan(scale("own").at(64)));
  for (const char* text : {"default", "1/sqrt(d)", "1/d", "cosine"}) CHECK(scale(text).at(0) == 1);
  for (int64_t d = 1; d <= 4096; ++d) CHECK(scale("1/(2*sqrt(d))").at(d) == default_scale(d) / 2);
}

TEST_CASE("scale: the canonical text is read as the same scale") {
  for (const char* text :
       {"default", "none", "1/sqrt(d)", "1/(2*sqrt(d))", "1/d", "learned", "cosine", "own", "0.1", "-0.75"}) {
    CHECK(scale(text).name == text);
    CHECK(scale(scale(text).name.c_str()) == scale(text));
  }
  CHECK(scale(" 1 / (2 *\tsqrt(d)) ").name == "1/(2*sqrt(d))");
  CHECK(scale("0.50") == scale("0.5"));
  CHECK(scale("1") != scale("none"));
  CHECK(scale("learned") != scale("cosine"));
  CHECK(scale("default") == Scale());
}

TEST_CASE("scale: other texts are refused with all that are taken") {
  using enum ErrorCode;
  for (const char* text : {"", "1/e", "None", "nan", "inf", "learned,cosine", "learned", "default"}) {
    refuses(text, {}, kNotAChoice, "none, 1/sqrt(d), 1/(2*sqrt(d)), 1/d, number");
  }
  refuses("x", kFurther, kNotAChoice,
          "default, none, 1/sqrt(d), 1/(2*sqrt(d)), 1/d, learned, cosine, own, number");
  for (const char* text : {"1e39", "-1e39", "1e999"}) refuses(text, {}, kNotFinite, "finite number");
}
