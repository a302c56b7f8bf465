// Configs from texts, their scale last.
#include <doctest/doctest.h>

#include "base/errors.h"
#include "reference/thrown_by.h"
#include "training/config_text.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

TransformerLayerConfig layer_of(const Texts& fields) { return config_of(fields, "op").model.layer; }

}  // namespace

TEST_CASE("a scale is of the head that the other fields give") {
  const auto scale = [](const std::string& text) {
    return layer_of({{"scale", text}, {"d_model", "32"}, {"n_heads", "2"}}).attention.scale;
  };
  CHECK_FALSE(scale("default"));
  CHECK(scale("none") == 1.0f);
  CHECK(scale("1/sqrt(d)") == 0.25f);
  CHECK(scale("1/(2*sqrt(d))") == 0.125f);
  CHECK(scale(" 1 / (2 * sqrt(d)) ") == 0.125f);
  CHECK(scale("1/d") == 1 / 16.0f);
  CHECK(scale("-0.5") == -0.5f);
  CHECK(layer_of({{"scale", "1/d"}, {"d_model", "32"}, {"d_head", "4"}}).attention.scale == 0.25f);
  CHECK(layer_of({{"scale", "1/d"}, {"d_model", "0"}, {"n_heads", "0"}}).attention.scale == 1.0f);
  CHECK(layer_of({{"scale", "1/d"}}).attention.scale == 1 / 64.0f);
}

TEST_CASE("a scale may be learned, or that of cosine attention") {
  const TransformerLayerConfig learned = layer_of({{"scale", "learned"}}),
                               cosine = layer_of({{"scale", "cosine"}});
  CHECK((learned.attention.learned_scale && !learned.attention.cosine && !learned.attention.scale));
  CHECK((cosine.attention.cosine && !cosine.attention.learned_scale && !cosine.attention.scale));
  const TransformerLayerConfig from_none = layer_of({{"scale", "none"}, {"learned_scale", "true"}});
  CHECK((from_none.attention.learned_scale && from_none.attention.scale == 1.0f));
  TrainerConfig config = small_trainer();
  CHECK(Trainer(config_of({{"scale", "learned"}}, "op", config)).first_scale() == 0.25f);
  CHECK(Trainer(config_of({{"scale", "cosine"}}, "op", config)).first_scale() == 4);
  config.model.layer.attention.scale = 0.5f;
  CHECK_FALSE(config_of({{"scale", "learned"}}, "op", config).model.layer.attention.scale);
}

TEST_CASE("fields are set, and what is not given stays") {
  TrainerConfig start = small_trainer();
  start.model.layer.attention.scale = 0.5f;
  const TrainerConfig config = config_of(
      {{"seed", "9"}, {"tied_kv", "true"}, {"init_equal_qk", "true"}, {"init_projection_std", "0.25"}}, "op",
      start);
  CHECK(config.seed == 9);
  CHECK(config.model.layer.attention.tied_kv);
  CHECK(config.initialization.equal_qk);
  CHECK(config.initialization.projection_std == 0.25f);
  CHECK(config.model.layer.attention.scale == 0.5f);
  CHECK(config.batch == 8);
  CHECK(config_metadata(config_of({}, "op")) == config_metadata({}));
}

TEST_CASE("texts that are no scale are refused with all that are") {
  const auto refused = [](const char* text, const char* expected, auto read) {
    CAPTURE(text);
    const ValueError error = thrown_by<ValueError>([&] { read(text); });
    CHECK(error.code == ErrorCode::kNotAChoice);
    CHECK(error.op == "op");
    CHECK(error.argument == "scale");
    CHECK(error.expected == expected);
  };
  for (const char* text : {"", "1/e", "None", "nan", "inf", "learned,cosine"}) {
    refused(text, "default, none, 1/sqrt(d), 1/(2*sqrt(d)), 1/d, learned, cosine, number",
            [](const char* scale) {
              layer_of({{"scale", scale}});
            });
  }
  const MultiHeadAttentionConfig attention = layer_of({}).attention;
  for (const char* text : {"learned", "cosine", "x"}) {
    refused(text, "default, none, 1/sqrt(d), 1/(2*sqrt(d)), 1/d, number",
            [&](const char* scale) { scale_of(scale, attention, "op"); });
  }
  CHECK(scale_of("1/d", attention, "op") == 1 / 64.0f);
  CHECK_FALSE(scale_of("default", attention, "op"));
  CHECK_THROWS_WITH_AS(config_of({{"scale", "1e39"}}, "op"), doctest::Contains("finite"), ValueError);
  CHECK_THROWS_AS(config_of({{"scales", "none"}}, "op"), ValueError);
  CHECK_THROWS_AS(config_of({{"d_model", "x"}}, "op"), ValueError);
}
