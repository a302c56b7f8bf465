// Memory that is not there: what was computed before is as it was, and the next pass has its bits.
#include "reference/out_of_memory.h"

#include "models/checkpoint.h"
#include "models/language_model_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

LanguageModelConfig small() {
  LanguageModelConfig config{};
  config.vocab = 7;
  config.context = 6;
  config.n_layers = 2;
  config.layer.attention.d_model = 8;
  config.layer.attention.n_heads = 2;
  config.layer.d_ff = 12;
  return config;
}

struct Passes {
  std::vector<float> logits, gradients;
};

/// Forward and backward in this cache, with gradients that begin at 0.
Passes run(Model& m, Cache& cache, const Tokens& tokens, bool explain) {
  Passes passes{numbers(m.model.forward(tokens.view(), {}, explain, cache, {})), {}};
  m.parameters.clear_gradients();
  const std::vector<float> dlogits = Draws(3).normals(static_cast<int64_t>(passes.logits.size()));
  m.model.backward(tokens.view(), {dlogits.data(), {tokens.shape[0], tokens.shape[1], 7}}, {}, cache);
  const auto gradients = m.parameters.gradients();
  passes.gradients.assign(gradients.begin(), gradients.end());
  return passes;
}

}  // namespace

TEST_CASE("out of memory in any allocation of a forward or backward pass: the next one has the same bits") {
  Model m(small());
  const Tokens tokens(2, 5, 7);
  for (const bool explain : {true, false}) {
    Cache first;
    const Passes expected = run(m, first, tokens, explain);
    Cache cache;
    const auto check = [&] {
      const Passes again = run(m, cache, tokens, explain);
      CHECK(same_bits(again.logits, expected.logits));
      CHECK(same_bits(again.gradients, expected.gradients));
      cache = {};
    };
    fail_each_allocation([&] { run(m, cache, tokens, explain); }, check);
  }
}

TEST_CASE("out of memory in any allocation of decoding: nothing is appended, and it can be repeated") {
  Model m(small());
  const Tokens tokens(1, 4, 7), next(1, 1, 7, 4);
  KeyValueCache expected_past = m.model.make_cache(1);
  m.decode(tokens, expected_past);
  const std::vector<float> expected = m.decode(next, expected_past);
  KeyValueCache past = m.model.make_cache(1);
  m.decode(tokens, past);
  fail_each_allocation(
      [&] {
        Cache cache;
        if (past.length() == 5) return;
        numbers(m.model.decode(next.view(), {}, past, cache));
      },
      [&] { CHECK((past.length() == 4 || past.length() == 5)); });
  CHECK(past.length() == 5);
  past.clear();
  m.decode(tokens, past);
  CHECK(same_bits(m.decode(next, past), expected));
}

TEST_CASE("out of memory in any allocation of loading: the model has the weights that it had") {
  Model from(small()), to(small());
  for (float& value : from.parameters.values()) value += 1;
  const std::vector<uint8_t> file = save_state(from.parameters), before = save_state(to.parameters);
  fail_each_allocation(
      [&] {
        const SafeTensors tensors = read_safetensors(file, "load", "file");
        load_state(to.parameters, tensors.tensors, {}, "load", "file");
      },
      [&] { CHECK(save_state(to.parameters) == before); });
  CHECK(save_state(to.parameters) == file);
}
