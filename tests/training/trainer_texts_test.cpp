// Attention maps and answers in the task's own words.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "base/errors.h"
#include "reference/thrown_by.h"
#include "training/training_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

using Words = std::vector<std::string>;

TrainerConfig reverse_trainer(Topology topology) {
  TrainerConfig config = small_trainer();
  config.task = {"reverse", 3, 4};
  config.topology = topology;
  config.model.layer.attention.n_heads = 2;
  return config;
}

struct Example {
  Words source, answer;
  explicit Example(const Trainer& trainer, int64_t number) {
    const Task& task = trainer.task();
    std::vector<int32_t> from(static_cast<size_t>(task.n_source())), to(static_cast<size_t>(task.n_answer()));
    task.sample(trainer.config().seed, stream_of("evaluate"), number, 1, from.data(), to.data(), true);
    for (const int32_t token : from) source.push_back(task.text(token));
    for (const int32_t token : to) answer.push_back(task.text(token));
  }
};

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("maps name the tokens at their rows and columns") {
  for (const Topology topology : {Topology::kEncoder, Topology::kDecoder, Topology::kEncoderDecoder}) {
    Trainer trainer(reverse_trainer(topology));
    const auto [source, answer] = Example(trainer, 5);
    const Words known(answer.begin(), answer.end() - 1), arrow = {"→"};
    const Words ids = topology == Topology::kDecoder ? source + arrow + known : arrow + known;
    const std::vector<AttentionMap> maps = trainer.attention_maps(5);
    REQUIRE(maps.size() == trainer.model().attentions().size() * 2);
    for (size_t i = 0; i < maps.size(); ++i) {
      const AttentionMap& map = maps[i];
      CAPTURE(map.attention);
      CHECK(map.attention == trainer.model().attentions()[i / 2]->name());
      CHECK(map.head == static_cast<int64_t>(i % 2));
      const bool of_source = topology == Topology::kEncoder || map.attention.starts_with("encoder.");
      CHECK(map.queries == (of_source ? source : ids));
      CHECK(map.keys == (of_source || map.attention.ends_with("multihead_attn") ? source : ids));
      CHECK(map.n_q == static_cast<int64_t>(map.queries.size()));
      CHECK(map.n_k == static_cast<int64_t>(map.keys.size()));
      REQUIRE(map.weights.size() == map.queries.size() * map.keys.size());
      for (int64_t row = 0; row < map.n_q; ++row) {
        float sum = 0;
        for (int64_t j = 0; j < map.n_k; ++j) sum += map.weights[static_cast<size_t>(row * map.n_k + j)];
        CHECK(sum == doctest::Approx(1));
      }
    }
    CHECK(trainer.attention_maps(5)[1].weights == maps[1].weights);
    CHECK(trainer.attention_maps(6)[1].weights != maps[1].weights);
    CHECK(trainer.attention_maps(5, 3.0f)[1].weights != maps[1].weights);
    CHECK_THROWS_AS(trainer.attention_maps(-1), ValueError);
    const int64_t last = int64_t{1} << 32;
    for (const int64_t at : {int64_t{0}, last}) CHECK(trainer.attention_maps(at).size() == maps.size());
    const ValueError beyond = thrown_by<ValueError>([&] { trainer.attention_maps(last + 1); });
    CHECK(beyond.expected == "0 .. 4294967296");
  }
}

TEST_CASE("a map holds the bits of look_at_heads") {
  Trainer trainer(reverse_trainer(Topology::kEncoder));
  const std::vector<AttentionMap> maps = trainer.attention_maps(2);
  trainer.look_at_heads(3);
  const View weights = trainer.cache().at("layers.0.self_attn.weights");  // [3, 2, 3, 3]
  for (size_t head = 0; head < 2; ++head) {
    CHECK(std::equal(maps[head].weights.begin(), maps[head].weights.end(),
                     weights.data + (2 * 2 + static_cast<int64_t>(head)) * 9));
  }
}

TEST_CASE("answers are those of answer, one by one, whatever the batches") {
  for (const Topology topology : {Topology::kEncoder, Topology::kDecoder, Topology::kEncoderDecoder}) {
    Trainer trainer(reverse_trainer(topology));
    for (int i = 0; i < 60; ++i) trainer.step();
    for (const std::optional<float> scale : {std::optional<float>(), std::optional<float>(2.0f)}) {
      const std::vector<AnswerText> answers = trainer.answers(20, scale, 3);  // batches of 8, 8 and 4
      REQUIRE(answers.size() == 20);
      for (int64_t i = 0; i < 20; ++i) {
        const auto [source, expected] = Example(trainer, 3 + i);
        const AnswerText& got = answers[static_cast<size_t>(i)];
        CHECK(got.source == source);
        CHECK(got.expected == expected);
        std::vector<int32_t> tokens;
        for (const std::string& word : source) tokens.push_back(std::stoi(word));
        Words words;
        for (const int32_t token : trainer.answer(tokens, scale))
          words.push_back(trainer.model().text(token));
        CHECK(got.answer == words);
        CHECK(trainer.answer(tokens, scale, true) == trainer.answer(tokens, scale));
      }
    }
  }
  Trainer trainer(reverse_trainer(Topology::kEncoder));
  CHECK(trainer.answers(0).empty());
  CHECK_THROWS_AS(trainer.answers(-1), ValueError);
  CHECK_THROWS_AS(trainer.answers(1, {}, -1), ValueError);
}

TEST_CASE("a decoder answers step by step as with all positions at once, whatever its positions") {
  for (const Positions positions :
       {Positions::kNone, Positions::kSinusoidal, Positions::kLearned, Positions::kRotary}) {
    TrainerConfig config = reverse_trainer(Topology::kDecoder);
    config.task = {"characters", 9, 0,
                   "she sells sea shells by the sea shore, the shells she sells are sea shells"};
    config.model.positions = positions;
    config.model.n_layers = 2, config.model.layer.attention.tied_kv = true,
    config.model.layer.attention.qk_norm = true;
    Trainer trainer(config);
    for (int i = 0; i < 30; ++i) trainer.step();
    for (int32_t token = 0; token < trainer.task().vocab(); ++token) {
      const std::vector<int32_t> source = {token};
      CHECK(trainer.answer(source) == trainer.answer(source, {}, true));
      CHECK(trainer.answer(source, 2.0f) == trainer.answer(source, 2.0f, true));
    }
  }
}

TEST_CASE("a separator is an arrow, and what is NaN a question mark, from there on") {
  TrainerConfig config = reverse_trainer(Topology::kDecoder);
  Trainer trainer(config);
  CHECK(trainer.model().text(4) == "→");
  CHECK(trainer.model().text(3) == "3");
  CHECK(trainer.model().text(-1) == "?");
  const int positions = trainer.parameters().find("positions.weight");
  trainer.parameters().value(positions).data[4 * 16] = std::numeric_limits<float>::quiet_NaN();
  for (const AnswerText& each : trainer.answers(3)) {  // 3 of the source, the separator, then position 4
    CHECK(each.answer[0] != "?");
    CHECK(Words(each.answer.begin() + 1, each.answer.end()) == Words{"?", "?"});
  }
}
