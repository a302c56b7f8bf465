#include "layers/parameters.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/errors.h"
#include "layers/encoder_layer.h"
#include "layers/token_embedding.h"

using namespace sqrtdk;

TEST_CASE("Parameters lie in one block, in the order in which they were added") {
  Parameters parameters;
  CHECK(parameters.add("a.weight", {2, 3}) == 0);
  CHECK(parameters.add("a.bias", {2}) == 1);
  CHECK(parameters.add("empty", {0, 4}) == 2);
  CHECK(parameters.add("scalar", Shape{}) == 3);
  CHECK(parameters.size() == 9);
  parameters.allocate();
  REQUIRE(parameters.list().size() == 4);
  int64_t offset = 0;
  for (int i = 0; i < 4; ++i) {
    const Parameter& parameter = parameters.list()[static_cast<size_t>(i)];
    CHECK(parameter.offset == offset);
    CHECK(parameters.find(parameter.name) == i);
    CHECK(parameters.shape(i) == parameter.shape);
    CHECK(parameters.value(i).shape == parameter.shape);
    CHECK(parameters.value(i).data == parameters.values().data() + offset);
    CHECK(parameters.gradient(i).shape == parameter.shape);
    CHECK(parameters.gradient(i).data == parameters.gradients().data() + offset);
    const Parameters& constant = parameters;
    CHECK(constant.value(i).data == parameters.value(i).data);
    offset += parameter.shape.size();
  }
  CHECK(parameters.values().size() == 9);
  CHECK(parameters.gradients().size() == 9);
  CHECK(parameters.find("a") == -1);
  CHECK(parameters.find("") == -1);
}

TEST_CASE("Parameters and their gradients begin as 0; clear_gradients makes gradients 0 alone") {
  Parameters parameters;
  parameters.add("w", {100});
  parameters.allocate();
  for (const float value : parameters.values()) CHECK(value == 0);
  for (const float gradient : parameters.gradients()) CHECK(gradient == 0);
  std::fill(parameters.values().begin(), parameters.values().end(), 2.0f);
  std::fill(parameters.gradients().begin(), parameters.gradients().end(), 3.0f);
  parameters.clear_gradients();
  for (const float value : parameters.values()) CHECK(value == 2);
  for (const float gradient : parameters.gradients()) CHECK(gradient == 0);
}

TEST_CASE("Parameters: an alias is a second name for the same numbers, and no parameter more") {
  Parameters parameters;
  const int weight = parameters.add("embedding.weight", {4, 2});
  parameters.add_alias("head.weight", weight);
  parameters.allocate();
  CHECK(parameters.find("head.weight") == weight);
  CHECK(parameters.list().size() == 1);
  CHECK(parameters.size() == 8);
  REQUIRE(parameters.aliases().size() == 1);
  CHECK(parameters.aliases()[0].first == "head.weight");
  CHECK(parameters.aliases()[0].second == weight);
  parameters.add_alias("late", weight);
  CHECK(parameters.find("late") == weight);
}

TEST_CASE("Parameters: errors leave everything as it was") {
  Parameters parameters;
  const int weight = parameters.add("w", {2});
  parameters.add_alias("v", weight);
  CHECK_THROWS_WITH_AS(parameters.add("w", {3}),
                       "parameters: name: expected a name that is not there yet, got w", ValueError);
  CHECK_THROWS_AS(parameters.add("v", {3}), ValueError);
  CHECK_THROWS_AS(parameters.add_alias("w", weight), ValueError);
  CHECK_THROWS_AS(parameters.add_alias("v", weight), ValueError);
  CHECK_THROWS_AS(parameters.add_alias("u", 1), ValueError);
  CHECK_THROWS_AS(parameters.add_alias("u", -1), ValueError);
  CHECK_THROWS_AS(parameters.value(weight), ValueError);  // not allocated
  CHECK_THROWS_AS(parameters.gradient(weight), ValueError);
  CHECK(parameters.values().empty());
  parameters.clear_gradients();
  CHECK(parameters.size() == 2);
  CHECK(parameters.find("u") == -1);

  parameters.allocate();
  parameters.values()[0] = 5;
  CHECK_THROWS_AS(parameters.add("late", {2}), ValueError);
  CHECK_THROWS_AS(parameters.allocate(), ValueError);
  CHECK_THROWS_AS(parameters.value(1), ValueError);
  CHECK_THROWS_AS(parameters.gradient(-1), ValueError);
  CHECK_THROWS_AS(parameters.shape(1), ValueError);
  CHECK(parameters.values()[0] == 5);
  CHECK(parameters.size() == 2);
}

TEST_CASE("Parameters: too many for memory throw OutOfMemory, and can be asked again") {
  Parameters parameters;
  parameters.add("w", {int64_t{1} << 40});
  parameters.add("v", {int64_t{1} << 40});
  CHECK_THROWS_AS(parameters.allocate(), OutOfMemory);
  CHECK_THROWS_AS(parameters.value(0), ValueError);
  CHECK_THROWS_AS(parameters.allocate(), OutOfMemory);
}

TEST_CASE("Parameters: none at all") {
  Parameters parameters;
  parameters.allocate();
  CHECK(parameters.size() == 0);
  CHECK(parameters.values().empty());
}

TEST_CASE("layers say what their parameters are, and attentions where they lie") {
  Parameters parameters;
  const EncoderLayer joint_layer(parameters, "joint",
                                 {.attention = {.d_model = 8, .n_heads = 2}, .d_ff = 16});
  TransformerLayerConfig grouped{{8, 2}, 16};
  grouped.attention.n_kv_heads = 1, grouped.attention.learned_scale = true;
  const EncoderLayer grouped_layer(parameters, "grouped", grouped);
  const Embedding embedding(parameters, "embedding", 3, 8);
  const auto role = [&](const char* name) {
    return parameters.list()[static_cast<size_t>(parameters.find(name))].role;
  };
  CHECK(role("joint.self_attn.in_proj_weight") == ParameterRole::kProjection);
  CHECK(role("grouped.self_attn.k_proj_weight") == ParameterRole::kProjection);
  CHECK(role("joint.self_attn.out_proj.weight") == ParameterRole::kWeight);
  for (const char* bias : {"joint.self_attn.in_proj_bias", "joint.self_attn.out_proj.bias"}) {
    CHECK(role(bias) == ParameterRole::kProjectionBias);
  }
  CHECK(role("grouped.self_attn.scale") == ParameterRole::kScale);
  CHECK(role("joint.norm1.weight") == ParameterRole::kNormWeight);
  CHECK(role("joint.norm1.bias") == ParameterRole::kNormBias);
  CHECK(role("embedding.weight") == ParameterRole::kEmbedding);
  CHECK(role("joint.linear2.bias") == ParameterRole::kBias);
  CHECK(parameters.list()[static_cast<size_t>(parameters.find("joint.linear2.bias"))].n_in == 16);

  REQUIRE(parameters.attentions().size() == 2);
  const AttentionParameters &joint = parameters.attentions()[0], &other = parameters.attentions()[1];
  CHECK(joint.w_q.parameter == parameters.find("joint.self_attn.in_proj_weight"));
  CHECK(joint.w_k.parameter == joint.w_q.parameter);
  CHECK((joint.w_q.first == 0 && joint.w_k.first == 8 && joint.n_q == 8 && joint.scale == -1));
  CHECK(other.w_k.parameter == parameters.find("grouped.self_attn.k_proj_weight"));
  CHECK(other.scale == parameters.find("grouped.self_attn.scale"));
}
