// Values and gradients of the whole are compared with PyTorch's: tests/conformance/torch_layers.cpp.
#include "layers/transformer.h"

#include <cmath>

#include "base/errors.h"
#include "layers/layer_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("transformer: names as torch.nn.Transformer has them") {
  Parameters parameters;
  const Transformer model(parameters, "", {{4, 2}, 6}, 2, 1);
  for (const char* name : {"encoder.layers.0.self_attn.in_proj_weight", "encoder.layers.1.norm2.bias",
                           "encoder.norm.weight", "decoder.layers.0.multihead_attn.out_proj.bias",
                           "decoder.layers.0.norm3.weight", "decoder.norm.bias"}) {
    CHECK(parameters.find(name) >= 0);
  }
  CHECK(parameters.list().size() == 2 * 12 + 2 + 18 + 2);
  CHECK_THROWS_AS(TransformerEncoder(parameters, "none", {{4, 2}, 6}, 0, true), ValueError);
  CHECK_THROWS_AS(TransformerDecoder(parameters, "none", {{4, 2}, 6}, 0, true), ValueError);
}

TEST_CASE("transformer: a stack of layers is its layers, one after the other") {
  for (const bool final_norm : {false, true}) {
    Parameters parameters, separate;
    Cache cache, other;
    const TransformerLayerConfig config{{8, 2}, 12};
    const TransformerEncoder stack(parameters, "", config, 2, final_norm);
    draw(parameters, 5);
    const EncoderLayer first(separate, "layers.0", config), second(separate, "layers.1", config);
    std::optional<Norm> norm;
    if (final_norm) norm.emplace(separate, "norm", NormKind::kLayer, 8);
    separate.allocate();
    std::copy(parameters.values().begin(), parameters.values().end(), separate.values().begin());

    const Input x({2, 5, 8}, 1), u({2, 5, 8}, 2);
    const View out = stack.forward(x.view(), {}, false, cache, {});
    const View between = first.forward(x.view(), {}, false, other, {});
    const View last = second.forward(between, {}, false, other, {});
    CHECK(same_bits(numbers(out), numbers(norm ? norm->forward(last, other) : last)));
    const View dx = stack.backward(x.view(), u.view(), {}, cache);
    const ConstView dlast = norm ? ConstView(norm->backward(last, u.view(), other)) : u.view();
    const View dbetween = second.backward(between, dlast, {}, other);
    CHECK(same_bits(numbers(dx), numbers(first.backward(x.view(), dbetween, {}, other))));
    CHECK(same_bits({parameters.gradients().begin(), parameters.gradients().end()},
                    {separate.gradients().begin(), separate.gradients().end()}));
  }
}

// <u, f(x + h t) - f(x - h t)> / 2h along t of all inputs and parameters, against <gradient, t>: of a smooth
// model in float the difference is good to some h² + 2^-24 / h.
TEST_CASE("transformer: the gradient along a direction, with norms behind the sums or before") {
  for (const bool norm_first : {false, true}) {
    CAPTURE(norm_first);
    Parameters parameters;
    Cache cache;
    TransformerLayerConfig config{{8, 2}, 12};
    config.feed_forward = FeedForwardKind::kGelu;
    config.norm_first = norm_first;
    const Transformer model(parameters, "", config, 2, 2);
    draw(parameters, 5);
    const Input source({2, 4, 8}, 1), target({2, 3, 8}, 2), u({2, 3, 8}, 3);
    const Input tsource({2, 4, 8}, 4), ttarget({2, 3, 8}, 5);
    const std::vector<float> values(parameters.values().begin(), parameters.values().end());
    const std::vector<float> t = Draws(6).normals(static_cast<int64_t>(values.size()));
    const auto at = [&](float h) {
      Input s = source, r = target;
      for (size_t i = 0; i < s.values.size(); ++i) s.values[i] += h * tsource.values[i];
      for (size_t i = 0; i < r.values.size(); ++i) r.values[i] += h * ttarget.values[i];
      for (size_t i = 0; i < values.size(); ++i) parameters.values()[i] = values[i] + h * t[i];
      return dot(widen(u.values), widen(numbers(model.forward(s.view(), r.view(), {}, false, cache, {}))));
    };
    const float h = 0x1p-9f;
    const double difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    at(0);
    model.forward(source.view(), target.view(), {}, false, cache, {});
    const auto [dsource, dtarget] = model.backward(source.view(), target.view(), u.view(), {}, cache);
    const double along = dot(widen(numbers(dsource)), widen(tsource.values)) +
                         dot(widen(numbers(dtarget)), widen(ttarget.values)) +
                         dot({parameters.gradients().begin(), parameters.gradients().end()}, widen(t));
    CHECK(std::fabs(along - difference) <= 2e-3 * (1 + std::fabs(along)));
  }
}

TEST_CASE("transformer: the target's future changes no bit of its past") {
  Parameters parameters;
  Cache cache;
  const Transformer model(parameters, "", {{16, 2}, 24}, 2, 2);
  draw(parameters, 5);
  const Input source({1, 9, 16}, 1);
  Input target({1, 12, 16}, 2);
  const auto run = [&] { return numbers(model.forward(source.view(), target.view(), {}, false, cache, {})); };
  const std::vector<float> before = run();
  for (size_t i = 7 * 16; i < target.values.size(); ++i) target.values[i] += 1;
  const std::vector<float> after = run();
  CHECK(same_bits({before.begin(), before.begin() + 7 * 16}, {after.begin(), after.begin() + 7 * 16}));
  CHECK_FALSE(same_bits(before, after));
}

TEST_CASE("transformer: 100 steps take no more memory than one") {
  Parameters parameters;
  Cache cache;
  const Transformer model(parameters, "", {{16, 2}, 24}, 2, 2);
  draw(parameters, 5);
  const Input source({1, 9, 16}, 1), target({1, 12, 16}, 2), u({1, 12, 16}, 3);
  check_memory(100, [&](uint64_t) {
    model.forward(source.view(), target.view(), {}, false, cache, {});
    model.backward(source.view(), target.view(), u.view(), {}, cache);
  });
}
