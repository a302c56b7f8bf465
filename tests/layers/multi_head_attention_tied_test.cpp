// One matrix for keys and values.
#include "base/errors.h"
#include "layers/multi_head_attention_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("multi_head_attention: tied keys and values agree with the reference") {
  MultiHeadAttentionConfig config{8, 2};
  config.tied_kv = true;
  check_both_kinds(config);
  config.n_kv_heads = 1, config.rotary_base = 50;
  check_both_kinds(config);
  config.bias = false, config.qk_norm = true, config.d_head = 6;
  check_both_kinds(config);
  config = {8, 2};
  config.tied_kv = true, config.dropout = 0.3f, config.learned_scale = true;
  check_both_kinds(config, 0.7f, {true, 3, 1});
}

TEST_CASE("multi_head_attention: tied is separate with the same matrix twice, its gradient the sum") {
  MultiHeadAttentionConfig config{8, 2};
  AttentionModel separate(config);
  config.tied_kv = true;
  AttentionModel tied(config);
  const auto rows = [](AttentionModel& model, const char* name, int64_t first, int64_t n) {
    const View all = model.parameters.value(model.parameters.find(std::string("attn.") + name));
    const int64_t width = all.shape.rank() == 2 ? 8 : 1;
    return View(all.data + first * width, {n * width});
  };
  const auto copy = [](View from, View to) { std::copy_n(from.data, from.shape.size(), to.data); };
  for (const char* name : {"in_proj_weight", "in_proj_bias"}) {
    copy(rows(tied, name, 0, 16), rows(separate, name, 0, 16));
    copy(rows(tied, name, 8, 8), rows(separate, name, 16, 8));
  }
  copy(rows(tied, "out_proj.weight", 0, 8), rows(separate, "out_proj.weight", 0, 8));
  copy(rows(tied, "out_proj.bias", 0, 8), rows(separate, "out_proj.bias", 0, 8));

  const Input x({2, 5, 8}, 1), u({2, 5, 8}, 2);
  CHECK(same_bits(self_attention(tied, x.view()), self_attention(separate, x.view())));
  tied.parameters.clear_gradients(), separate.parameters.clear_gradients();
  CHECK(same_bits(numbers(tied.attention.self_backward(u.view(), causal(), tied.cache)),
                  numbers(separate.attention.self_backward(u.view(), causal(), separate.cache))));
  for (const char* name : {"in_proj_weight", "in_proj_bias"}) {
    const std::string full = std::string("attn.") + name;
    const View both = tied.parameters.gradient(tied.parameters.find(full));
    const View apart = separate.parameters.gradient(separate.parameters.find(full));
    const int64_t width = both.shape.rank() == 2 ? 8 : 1, size = 8 * width;
    for (int64_t i = 0; i < size; ++i) {
      CHECK(both.data[i] == apart.data[i]);
      CHECK(both.data[size + i] ==
            doctest::Approx(apart.data[size + i] + apart.data[2 * size + i]).epsilon(1e-4).scale(1));
    }
  }
}

TEST_CASE("multi_head_attention: central differences of tied keys and values") {
  MultiHeadAttentionConfig config{8, 2};
  config.tied_kv = true;
  AttentionModel model(config);
  const Input x({1, 5, 8}, 1), u({1, 5, 8}, 2);
  const auto value = [&] {
    const std::vector<float> out = self_attention(model, x.view());
    double sum = 0;
    for (size_t i = 0; i < out.size(); ++i) sum += static_cast<double>(out[i]) * u.values[i];
    return sum;
  };
  value();
  model.parameters.clear_gradients();
  model.attention.self_backward(u.view(), causal(), model.cache);
  const int index = model.parameters.find("attn.in_proj_weight");
  const std::vector<float> gradient = numbers(model.parameters.gradient(index));
  for (int64_t i = 64; i < 128; i += 7) {  // of w_kv
    float& w = model.parameters.value(index).data[i];
    const float before = w;
    w = before + 0x1p-7f;
    const double above = value();
    w = before - 0x1p-7f;
    const double below = value();
    w = before;
    CHECK((above - below) * 0x1p6 ==
          doctest::Approx(gradient[static_cast<size_t>(i)]).epsilon(3e-3).scale(1));
  }
}

TEST_CASE("multi_head_attention: the names of tied keys and values; inputs of one dimension") {
  const auto names = [](const MultiHeadAttentionConfig& config) {
    return listed(AttentionModel(config).parameters.list());
  };
  MultiHeadAttentionConfig config{8, 2};
  config.tied_kv = true;
  CHECK(
      names(config) ==
      "attn.in_proj_weight(16, 8) attn.in_proj_bias(16,) attn.out_proj.weight(8, 8) attn.out_proj.bias(8,) ");
  config.n_kv_heads = 1, config.bias = false;
  CHECK(names(config) == "attn.q_proj_weight(8, 8) attn.kv_proj_weight(4, 8) attn.out_proj.weight(8, 8) ");
  config = {8, 2};
  config.tied_kv = true, config.d_key_in = 5;
  CHECK_THROWS_AS(names(config), ValueError);
  config.d_value_in = 5;
  CHECK_NOTHROW(names(config));
}
