#include "training/records.h"

#include <doctest/doctest.h>

#include <cmath>

#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("gradient norms are those of layers") {
  Parameters parameters;
  parameters.add("embedding.weight", {2});
  parameters.add("layers.0.norm1.weight", {1});
  parameters.add("layers.0.linear1.weight", {2});
  parameters.add("layers.10.norm1.weight", {1});
  parameters.add("norm.weight", {1});
  parameters.add("decoder.layers.1.norm1.bias", {1});
  parameters.add("head.weight", {2});
  parameters.add("head.bias", {1});
  parameters.allocate();
  const float gradients[] = {3, 4, 1, 2, -2, 7, 0, 9, 2, 3, 6};
  std::copy(std::begin(gradients), std::end(gradients), parameters.gradients().begin());
  const std::vector<GradientNorm> norms = gradient_norms(parameters);
  const std::pair<const char*, double> expected[] = {
      {"embedding", 5}, {"layers.0", 3}, {"layers.10", 7}, {"norm", 0}, {"decoder.layers.1", 9}, {"head", 7}};
  REQUIRE(norms.size() == 6);
  for (size_t i = 0; i < 6; ++i) {
    CHECK(norms[i].layer == expected[i].first);
    CHECK(norms[i].norm == expected[i].second);
  }
}

TEST_CASE("head records are means over rows") {
  Parameters parameters;
  const MultiHeadAttention attention(parameters, "layers.0.self_attn", {.d_model = 2, .n_heads = 2});
  const MultiHeadAttention* const attentions[] = {&attention};
  Cache cache;
  const View weights = cache.make("layers.0.self_attn.weights", {2, 2, 1, 2});
  const float numbers[] = {0.5f, 0.5f, 1, 0, 0.995f, 0.005f, 0.25f, 0.75f};  // batch, head
  std::copy(std::begin(numbers), std::end(numbers), weights.data);
  const std::vector<HeadRecord> records = head_records(cache, attentions);
  REQUIRE(records.size() == 2);
  const auto entropy = [](double p) { return -p * std::log(p) - (1 - p) * std::log(1 - p); };
  CHECK(records[0].head == 0);
  CHECK(records[0].entropy == doctest::Approx((std::log(2.0) + entropy(0.995f)) / 2));
  CHECK(records[0].saturated == 0.5);
  CHECK(records[1].head == 1);
  CHECK(records[1].entropy == doctest::Approx(entropy(0.25) / 2));
  CHECK(records[1].saturated == 0.5);
}

TEST_CASE("at a larger scale heads begin more saturated and of less entropy") {
  TrainerConfig config = small_trainer();
  config.model.n_layers = 2;
  config.model.layer.attention.n_heads = 2;
  Trainer trainer(config);
  const std::vector<HeadRecord> usual = trainer.look_at_heads(32);
  const std::vector<HeadRecord> larger = trainer.look_at_heads(32, 4.0f);  // instead of 1/sqrt(8)
  REQUIRE(usual.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(usual[i].attention == (i < 2 ? "layers.0.self_attn" : "layers.1.self_attn"));
    CHECK(usual[i].head == static_cast<int64_t>(i % 2));
    CHECK(usual[i].entropy <= std::log(6.0));
    CHECK(larger[i].entropy < usual[i].entropy);
    CHECK(larger[i].saturated > usual[i].saturated);
  }
  CHECK(trainer.cache().at("layers.1.self_attn.weights").shape == Shape{32, 2, 6, 6});
}

TEST_CASE("a hash is FNV-1a of the bytes") {
  CHECK(hash_of({}) == 0xcbf29ce484222325);
  const float zeros[] = {0, -0.0f};
  CHECK(hash_of({zeros, 1}) != hash_of({zeros + 1, 1}));
  const float one[] = {1};  // 00 00 80 3f
  uint64_t hash = 0xcbf29ce484222325;
  for (const uint64_t byte : {0x00, 0x00, 0x80, 0x3f}) hash = (hash ^ byte) * 0x100000001b3;
  CHECK(hash_of(one) == hash);
}
