// Trainers of any configuration, each field from a text, are refused; or their config is read as itself from
// its written form, and a step after save and restore has the same bits. Where a step throws, nothing is
// changed.
#include <algorithm>

#include "fuzz/fuzz.h"
#include "training/config_text.h"

namespace sqrtdk::fuzz {
namespace {

Texts texts_of(Choices& choices) {
  static const std::vector<ConfigField> fields = config_fields({});
  Texts texts{{"d_model", "4"}, {"length", "2"},   {"symbols", "3"},
              {"batch", "2"},   {"n_layers", "1"}, {"d_ff", "4"}};
  for (int64_t i = choices.between(0, 8); i > 0; --i) {
    const ConfigField& field = fields[static_cast<size_t>(choices.between(0, std::ssize(fields) - 1))];
    if (field.name == "task") {
      texts["task"] = choices.one_of(
          {"copy", "reverse", "recall", "modular_addition", "dates", "coreference", "characters"});
      if (texts["task"] == "characters") texts["text"] = "to be or not to be, that is the question";
    } else if (field.expected.find(',') != std::string::npos && !choices.one_in(8)) {
      const auto count = std::count(field.expected.begin(), field.expected.end(), ',');
      std::string_view names = field.expected;
      for (int64_t skip = choices.between(0, count); skip > 0; --skip)
        names.remove_prefix(names.find(',') + 2);
      texts[field.name] = names.substr(0, names.find(','));
    } else if (choices.one_in(4)) {
      texts[field.name] = choices.ConsumeRandomLengthString(12);
    } else {
      texts[field.name] =
          choices.one_of({"0", "1", "2", "3", "4", "8", "0.5", "0.001", "-1", "default", "true", "false",
                          "1/d", "none", "learned", "cosine", "1e30", "300", "16777216"});
    }
  }
  return texts;
}

bool small(const TrainerConfig& config) {
  const MultiHeadAttentionConfig& attention = config.model.layer.attention;
  for (const int64_t size :
       {attention.d_model, attention.n_heads, attention.n_kv_heads, attention.d_head, config.model.layer.d_ff,
        config.model.n_layers, config.batch, config.task.length}) {
    if (size > 8) return false;
  }
  return true;
}

}  // namespace

void run(Bytes input) {
  Choices choices(input);
  const Texts texts = texts_of(choices);
  refused([&] {
    const TrainerConfig config = config_of(texts, "fuzz");
    CHECK(config_metadata(read_config(config_metadata(config), "fuzz", "config")) == config_metadata(config));
    if (!small(config)) return;
    Trainer trainer(config);
    const uint64_t begun = trainer.weight_hash();
    if (refused([&] { trainer.step(); })) {
      CHECK(trainer.weight_hash() == begun);
      CHECK(trainer.steps() == 0);
      return;
    }
    const std::vector<uint8_t> saved = trainer.save();
    Trainer other(checkpoint_config(saved));
    other.restore(saved);
    CHECK(other.save() == saved);
    CHECK(refused([&] { trainer.step(); }) == refused([&] { other.step(); }));
    CHECK(other.weight_hash() == trainer.weight_hash());
  });
}

}  // namespace sqrtdk::fuzz
