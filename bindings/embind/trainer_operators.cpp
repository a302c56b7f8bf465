#include "base/decimal.h"
#include "base/text.h"
#include "listing.h"
#include "operators.h"
#include "training/config_text.h"
#include "training/run.h"

namespace sqrtdk::border {
namespace {

constexpr const char* kOp = "trainer";

struct TrainerObject final : Object {
  static constexpr const char* kKind = "trainer";
  Trainer trainer;
  std::optional<StepResult> last;  // since it was made or restored
  std::vector<AttentionMap> maps;  // those that were asked for last: JavaScript copies their weights
  explicit TrainerObject(const TrainerConfig& config) : Object(kKind), trainer(config) {}

  void restore(std::span<const uint8_t> checkpoint) {
    trainer.restore(checkpoint);
    last.reset();
  }
};

class Fields {
 public:
  void add(std::string_view field) {
    if (n_++ > 0) text_ += '\0';
    for (const char c : field) text_ += c == '\0' ? ' ' : c;
  }
  void add(std::span<const std::string> fields) {
    for (const std::string& field : fields) add(field);
  }
  void add_number(double x) { add(to_general(x, 17)); }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
  size_t n_ = 0;
};

using ScaleText = std::optional<GivenText>;  // none: the model's own

std::optional<float> scale_option(ScaleText text, const Trainer& trainer) {
  if (!text) return {};
  return scale_of(text->string(), trainer.config().model.layer.attention, kOp);
}

std::unique_ptr<Object> make(std::string_view fields) {
  return std::make_unique<TrainerObject>(config_of(Request(fields).params, kOp));
}

std::unique_ptr<Object> load(std::span<const uint8_t> checkpoint) {
  auto made = std::make_unique<TrainerObject>(checkpoint_config(checkpoint));
  made->restore(checkpoint);
  return made;
}

std::string list_fields() {
  Fields fields;
  for (const ConfigField& field : config_fields({})) {
    for (const std::string* text : {&field.name, &field.expected, &field.value}) fields.add(*text);
  }
  return std::move(fields).text();
}

/// chance, ceiling, n_parameters, columns..
std::string facts(TrainerObject& object) {
  const Trainer& trainer = object.trainer;
  Fields fields;
  fields.add_number(trainer.task().chance());
  fields.add_number(trainer.task().ceiling());
  fields.add_number(static_cast<double>(trainer.parameters().size()));
  fields.add(record_columns(trainer));
  return std::move(fields).text();
}

std::string config(TrainerObject& object) {
  Fields fields;
  for (const ConfigField& field : config_fields(object.trainer.config())) {
    fields.add(field.name);
    fields.add(field.value);
  }
  return std::move(fields).text();
}

std::vector<double> state(TrainerObject& object) {
  return {static_cast<double>(object.trainer.steps()), object.trainer.config().optimizer.learning_rate};
}

void set_rate(TrainerObject& object, double rate) { object.trainer.set_learning_rate(rate); }

std::vector<double> step(TrainerObject& object) {
  object.last.reset();  // of the last step nothing is left where this one throws
  const StepResult done = object.trainer.step();
  object.last = done;
  return {static_cast<double>(done.step), done.loss, done.learning_rate, done.gradient_norm,
          done.updated ? 1.0 : 0.0};
}

std::vector<double> make_record(TrainerObject& object, int64_t examples, int64_t head_examples) {
  RunOptions options;
  options.examples = examples;
  options.head_examples = head_examples;
  return record_row(record(object.trainer, object.last, options));
}

std::vector<double> evaluate(TrainerObject& object, int64_t n, ScaleText scale) {
  const Evaluation result = object.trainer.evaluate(n, scale_option(scale, object.trainer));
  return {result.loss, result.token_accuracy, result.sequence_accuracy};
}

/// n_source, n_answer, and for each example the texts of its source, expected answer and answer.
std::string answers(TrainerObject& object, int64_t first, int64_t n, ScaleText scale) {
  const std::vector<AnswerText> texts = object.trainer.answers(n, scale_option(scale, object.trainer), first);
  Fields fields;
  fields.add_number(static_cast<double>(object.trainer.task().n_source()));
  fields.add_number(static_cast<double>(object.trainer.task().n_answer()));
  for (const AnswerText& text : texts) {
    fields.add(text.source);
    fields.add(text.expected);
    fields.add(text.answer);
  }
  return std::move(fields).text();
}

/// For each head: attention, head, n_q, n_k, address of the weights, queries.., keys..
std::string attention_maps(TrainerObject& object, int64_t example, ScaleText scale) {
  object.maps = object.trainer.attention_maps(example, scale_option(scale, object.trainer));
  Fields fields;
  for (const AttentionMap& map : object.maps) {
    fields.add(map.attention);
    for (const int64_t number : {map.head, map.n_q, map.n_k}) fields.add(to_text(number));
    fields.add(to_text(reinterpret_cast<Pointer>(map.weights.data())));
    fields.add(map.queries);
    fields.add(map.keys);
  }
  return std::move(fields).text();
}

std::vector<uint8_t> save(TrainerObject& object) { return object.trainer.save(); }

void restore(TrainerObject& object, std::span<const uint8_t> checkpoint) { object.restore(checkpoint); }

std::string hash(TrainerObject& object) {
  uint64_t hash = object.trainer.weight_hash();
  std::string digits(16, '0');
  for (size_t i = digits.size(); i-- > 0; hash >>= 4) digits[i] = "0123456789abcdef"[hash & 15];
  return digits;
}

std::string list_parameters(TrainerObject& object) {
  const Parameters& parameters = object.trainer.parameters();
  Listing listing;
  listing.add(parameters, parameters.values().data());
  return std::move(listing).text();
}

}  // namespace

std::span<const Operator> trainer_operators() {
  static constexpr Operator kOperators[] = {
      op<make>("make_trainer", "fields"),
      op<load>("load_trainer", "checkpoint"),
      op<list_fields>("trainer_fields", ""),
      op<facts>("trainer_facts", "trainer"),
      op<config>("trainer_config", "trainer"),
      op<state>("trainer_state", "trainer"),
      op<set_rate>("set_learning_rate", "trainer rate"),
      op<step>("trainer_step", "trainer"),
      op<make_record>("trainer_record", "trainer examples head_examples"),
      op<evaluate>("trainer_evaluate", "trainer n scale?"),
      op<answers>("trainer_answers", "trainer first n scale?"),
      op<attention_maps>("trainer_maps", "trainer example scale?"),
      op<save>("save_trainer", "trainer"),
      op<restore>("restore_trainer", "trainer checkpoint"),
      op<hash>("trainer_hash", "trainer"),
      op<list_parameters>("trainer_parameters", "trainer"),
  };
  return kOperators;
}

}  // namespace sqrtdk::border
