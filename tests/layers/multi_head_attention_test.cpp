#include <cmath>

#include "base/errors.h"
#include "layers/multi_head_attention_case.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("multi_head_attention agrees with the reference in double, with its gradients") {
  MultiHeadAttentionConfig config{6, 2};
  check_attention(config, 3, 3);
  check_attention(config, 4, 4, causal());
  check_attention(config, 2, 5);
  const std::vector<int32_t> lengths{3, 2};
  AttentionOptions padded;
  padded.lengths = {lengths.data(), {2}};
  check_attention(config, 2, 4, padded);
  config.bias = false;
  check_attention(config, 3, 2);
}

TEST_CASE(
    "multi_head_attention: dimensions of keys and values, grouped heads, a head dimension, scale, softcap") {
  MultiHeadAttentionConfig config{4, 2};
  config.d_key_in = 3, config.d_value_in = 5;
  check_attention(config, 2, 3);
  config = {8, 4};
  config.n_kv_heads = 2;
  check_attention(config, 2, 3);
  config = {4, 2};
  config.d_head = 3;
  check_attention(config, 2, 2);
  config.scale = 1.0f;
  check_attention(config, 2, 2);
  config.softcap = 0.7f;
  check_attention(config, 2, 2, causal());
}

TEST_CASE("multi_head_attention: rotary positions, of queries after a past too") {
  MultiHeadAttentionConfig config{8, 2};
  config.rotary_base = 100;
  check_attention(config, 4, 4, causal());

  const Input x({1, 5, 8}, 1);
  AttentionModel whole(config), last(config);
  const std::vector<float> all = whole.run(x.view(), x.view(), x.view(), causal(), false);
  AttentionOptions options = causal();
  options.n_past = 3;
  const ConstView queries(x.values.data() + 3 * 8, {1, 2, 8});
  CHECK(same_bits(last.run(queries, x.view(), x.view(), options, false),
                  std::vector<float>(all.begin() + 3 * 8, all.end())));
}

TEST_CASE("multi_head_attention: gradients of queries after a past, with rotary positions") {
  MultiHeadAttentionConfig config{8, 2};
  config.rotary_base = 100;
  const Input x({1, 5, 8}, 1), u({1, 5, 8}, 2);
  AttentionOptions options = causal();
  for (const bool explain : {true, false}) {
    // The whole, of whose outputs the last two alone count: what a query after the past of three positions
    // gives back.
    std::vector<float> last_alone(u.values);
    std::fill_n(last_alone.begin(), 3 * 8, 0.0f);
    AttentionModel whole(config), last(config);
    whole.run(x.view(), x.view(), x.view(), options, explain);
    const auto all = whole.attention.backward({last_alone.data(), {1, 5, 8}}, options, whole.cache);
    AttentionOptions after = options;
    after.n_past = 3;
    const ConstView queries(x.values.data() + 3 * 8, {1, 2, 8}), dout(u.values.data() + 3 * 8, {1, 2, 8});
    last.run(queries, x.view(), x.view(), after, explain);
    const auto got = last.attention.backward(dout, after, last.cache);
    const std::vector<float> dquery = numbers(all.dquery);
    const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
      CHECK(compare(a, {b.begin(), b.end()}).absolute < 1e-6);
    };
    same(numbers(got.dquery), {dquery.begin() + 3 * 8, dquery.end()});
    same(numbers(got.dkey), numbers(all.dkey));
    same(numbers(got.dvalue), numbers(all.dvalue));
    const auto gradients = [](AttentionModel& model) {
      const std::span<const float> all = std::as_const(model.parameters).gradients();
      return std::vector<float>(all.begin(), all.end());
    };
    same(gradients(last), gradients(whole));
  }
}

TEST_CASE("multi_head_attention: in training, weights are dropped as the mode says") {
  MultiHeadAttentionConfig config{4, 2};
  config.dropout = 0.4f;
  check_attention(config, 3, 4, causal(), {true, 11, 7});
  const Input x({2, 6, 4}, 1);
  const auto run = [&](const Mode& mode) {
    return AttentionModel(config).run(x.view(), x.view(), x.view(), {}, false, mode);
  };
  const std::vector<float> trained = run({true, 1, 2});
  CHECK(same_bits(trained, run({true, 1, 2})));
  CHECK_FALSE(same_bits(trained, run({true, 1, 3})));
  CHECK_FALSE(same_bits(trained, run({true, 2, 2})));
  CHECK_FALSE(same_bits(trained, run({})));
}

TEST_CASE("multi_head_attention: dropped weights of shared heads") {
  MultiHeadAttentionConfig config{8, 4};
  config.n_kv_heads = 1, config.dropout = 0.25f;
  check_attention(config, 2, 3, {}, {true, 3, 0});
}

TEST_CASE("multi_head_attention: what a reader can ask for") {
  AttentionModel model({8, 2});
  const Input x({3, 5, 8}, 1);
  const View out = model.attention.forward(x.view(), x.view(), x.view(), causal(), true, model.cache, {});
  CHECK(out.shape == Shape{3, 5, 8});
  const Cache& cache = model.cache;
  for (const char* name : {"attn.q", "attn.k", "attn.v", "attn.heads"}) {
    CHECK(cache.at(name).shape == Shape{3, 2, 5, 4});
  }
  const View weights = cache.at("attn.weights");
  REQUIRE(weights.shape == Shape{3, 2, 5, 5});
  CHECK(cache.at("attn.scores").shape == weights.shape);
  for (int64_t row = 0; row < 30; ++row) {
    double sum = 0;
    for (int64_t j = 0; j < 5; ++j) sum += weights.data[row * 5 + j];
    CHECK(std::fabs(sum - 1) <= 0x1p-22);
    for (int64_t j = row % 5 + 1; j < 5; ++j) CHECK(weights.data[row * 5 + j] == 0);
  }
  // Head 1 of token 2 of sequence 1 is columns 4 .. 7 of its projection.
  const View rows = cache.at("attn.q_proj.out"), q = cache.at("attn.q");
  for (int64_t c = 0; c < 4; ++c)
    CHECK(q.data[((1 * 2 + 1) * 5 + 2) * 4 + c] == rows.data[(5 + 2) * 8 + 4 + c]);
  // Without them, none of an earlier pass stay.
  model.attention.forward(x.view(), x.view(), x.view(), causal(), false, model.cache, {});
  CHECK(cache.at("attn.weights").shape.size() == 0);
}

TEST_CASE("multi_head_attention: self_backward is the sum of the three gradients") {
  AttentionModel model({6, 3});
  const Input x({2, 4, 6}, 1), u({2, 4, 6}, 2);
  model.run(x.view(), x.view(), x.view(), causal(), false);
  const auto [dquery, dkey, dvalue] = model.attention.backward(u.view(), causal(), model.cache);
  std::vector<float> sum = numbers(dquery);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = sum[i] + dkey.data[i] + dvalue.data[i];
  CHECK(same_bits(numbers(model.attention.self_backward(u.view(), causal(), model.cache)), sum));
}

TEST_CASE("multi_head_attention: parameters accumulate, inputs are overwritten") {
  AttentionModel model({6, 3});
  const Input x({2, 4, 6}, 1), u({2, 4, 6}, 2);
  model.run(x.view(), x.view(), x.view(), {}, false);
  const std::vector<float> once = numbers(model.attention.self_backward(u.view(), {}, model.cache));
  const std::vector<float> gradients(model.parameters.gradients().begin(),
                                     model.parameters.gradients().end());
  CHECK(same_bits(numbers(model.attention.self_backward(u.view(), {}, model.cache)), once));
  std::vector<double> twice;
  for (const float g : gradients) twice.push_back(2.0 * g);
  const std::vector<float> now(model.parameters.gradients().begin(), model.parameters.gradients().end());
  CHECK(compare(now, twice).absolute <= 16 * 0x1p-24 * (1 + max_abs(twice)));
}

TEST_CASE("multi_head_attention: a future or padded token changes no bit, NaN or not") {
  for (const bool explain : {true, false}) {
    for (const float poison : {3.0f, std::numeric_limits<float>::quiet_NaN()}) {
      AttentionModel model({8, 2});
      Input x({1, 40, 8}, 1);
      const std::vector<float> before = model.run(x.view(), x.view(), x.view(), causal(), explain);
      const Input query = x;
      const std::vector<int32_t> lengths{25};
      AttentionOptions padded;
      padded.lengths = {lengths.data(), {1}};
      const std::vector<float> unpadded = model.run(query.view(), x.view(), x.view(), padded, explain);
      for (size_t i = 25 * 8; i < x.values.size(); ++i) x.values[i] = poison;
      const std::vector<float> after = model.run(x.view(), x.view(), x.view(), causal(), explain);
      CHECK(same_bits({before.begin(), before.begin() + 25 * 8}, {after.begin(), after.begin() + 25 * 8}));
      CHECK_FALSE(same_bits(before, after));
      CHECK(same_bits(model.run(query.view(), x.view(), x.view(), padded, explain), unpadded));
    }
  }
}

TEST_CASE("multi_head_attention: a sequence alone has the bits that it has in a batch") {
  for (const bool explain : {true, false}) {
    AttentionModel batch({12, 3}), alone({12, 3});
    const Input x({3, 7, 12}, 1), memory({3, 9, 12}, 2), u({3, 7, 12}, 3);
    const std::vector<float> all = batch.run(x.view(), memory.view(), memory.view(), {}, explain);
    const std::vector<float> dall = numbers(batch.attention.backward(u.view(), {}, batch.cache).dkey);
    for (int64_t b = 0; b < 3; ++b) {
      const std::vector<float> one =
          alone.run(x.sequence(b), memory.sequence(b), memory.sequence(b), {}, explain);
      CHECK(same_bits(one, {all.begin() + b * 84, all.begin() + (b + 1) * 84}));
      const std::vector<float> done = numbers(alone.attention.backward(u.sequence(b), {}, alone.cache).dkey);
      CHECK(same_bits(done, {dall.begin() + b * 108, dall.begin() + (b + 1) * 108}));
    }
  }
}

TEST_CASE("multi_head_attention: empty batches and sequences") {
  AttentionModel model({4, 2});
  const Input none({0, 3, 4}, 1), empty({2, 0, 4}, 1), x({2, 3, 4}, 2);
  CHECK(model.run(none.view(), none.view(), none.view(), {}, true).empty());
  CHECK(model.run(none.view(), none.view(), none.view(), {}, false).empty());
  CHECK(model.run(empty.view(), x.view(), x.view(), {}, false).empty());
  // No keys: heads are 0, and what is left is the bias.
  const std::vector<float> out = model.run(x.view(), empty.view(), empty.view(), {}, false);
  const ConstView bias = model.parameters.value(model.parameters.find("attn.out_proj.bias"));
  for (size_t i = 0; i < out.size(); ++i) CHECK(out[i] == bias.data[i % 4]);
}

TEST_CASE("multi_head_attention: invalid configurations and shapes are refused") {
  const auto build = [](MultiHeadAttentionConfig config) { AttentionModel model(config); };
  CHECK_THROWS_AS(build({6, 4}), ValueError);
  CHECK_THROWS_AS(build({0, 1}), ValueError);
  CHECK_THROWS_AS(build({6, 0}), ValueError);
  MultiHeadAttentionConfig config{8, 4};
  config.n_kv_heads = 3;
  CHECK_THROWS_AS(build(config), ValueError);
  config = {8, 4};
  config.dropout = 1;
  CHECK_THROWS_AS(build(config), ValueError);
  config = {6, 2};
  config.rotary_base = 100;
  CHECK_THROWS_AS(build(config), ValueError);
  config = {8, 2};
  config.rotary_base = 0.5;
  CHECK_THROWS_AS(build(config), ValueError);
  config = {8, 2};
  config.d_head = int64_t{1} << 62;  // times n_heads and 3 beyond all numbers
  CHECK_THROWS_AS(build(config), ValueError);

  config = {8, 2};
  config.rotary_base = 100;
  AttentionModel rotary(config);
  const Input y({1, 2, 8}, 1);
  AttentionOptions past;
  past.n_past = -1;
  const ValueError negative =
      thrown_by<ValueError>([&] { rotary.run(y.view(), y.view(), y.view(), past, false); });
  CHECK(negative.op == "multi_head_attention");
  CHECK(negative.argument == "n_past");

  AttentionModel model({4, 2});
  const Input x({2, 3, 4}, 1), wide({2, 3, 5}, 1), other({1, 3, 4}, 1), longer({2, 4, 4}, 1);
  CHECK_THROWS_AS(model.run(wide.view(), x.view(), x.view(), {}, false), ShapeError);
  CHECK_THROWS_AS(model.run(x.view(), wide.view(), x.view(), {}, false), ShapeError);
  CHECK_THROWS_AS(model.run(x.view(), other.view(), other.view(), {}, false), ShapeError);
  const ShapeError refused =
      thrown_by<ShapeError>([&] { model.run(x.view(), x.view(), longer.view(), {}, false); });
  CHECK(refused.argument == "value");
  CHECK(refused.op == "multi_head_attention");
  CHECK_THROWS_AS(model.run({x.values.data(), {6, 4}}, x.view(), x.view(), {}, false), ShapeError);
}

TEST_CASE("forward_cached: a past that is full, overfull or no past at all") {
  AttentionModel model({4, 2});
  const Input x({1, 2, 4}, 1);
  const Shape shape{1, 2, 3, 2};  // of three positions
  std::vector<float> k(12, 7.0f), v = k;
  const auto run = [&](int64_t n_past, int64_t n) {
    const PastKeys past{{k.data(), shape}, {v.data(), shape}, n_past};
    return model.attention.forward_cached({x.values.data(), {1, n, 4}}, past, {}, model.cache);
  };
  for (const int64_t n_past : {-1, 4}) {
    const ValueError error = thrown_by<ValueError>([&] { run(n_past, 1); });
    CHECK(error.argument == "n_past");
    CHECK(error.expected == "0 .. 3");
  }
  CHECK(thrown_by<ValueError>([&] { run(2, 2); }).argument == "n");
  CHECK(thrown_by<ValueError>([&] { run(3, 1); }).argument == "n");
  CHECK(k == std::vector<float>(12, 7.0f));
  CHECK(v == k);
  CHECK(run(0, 1).shape == Shape{1, 1, 4});
  CHECK(run(1, 2).shape == Shape{1, 2, 4});
  CHECK(run(3, 0).shape == Shape{1, 0, 4});
}

TEST_CASE("multi_head_attention: PyTorch's names") {
  const auto names = [](const MultiHeadAttentionConfig& config) {
    return listed(AttentionModel(config).parameters.list());
  };
  MultiHeadAttentionConfig config{4, 2};
  CHECK(
      names(config) ==
      "attn.in_proj_weight(12, 4) attn.in_proj_bias(12,) attn.out_proj.weight(4, 4) attn.out_proj.bias(4,) ");
  config.bias = false, config.d_value_in = 3;
  CHECK(names(config) ==
        "attn.q_proj_weight(4, 4) attn.k_proj_weight(4, 4) attn.v_proj_weight(4, 3) attn.out_proj.weight(4, "
        "4) ");
}
