#include "base/decimal.h"
#include "base/text.h"
#include "listing.h"
#include "objects.h"
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

Trainer& trainer_of(Arguments& given) { return object<TrainerObject>(given).trainer; }

std::span<const uint8_t> file(Arguments& given) {
  const std::string_view bytes = given.bytes();
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

/// Numbers cross as they are: NaN, and every bit.
void answer_numbers(std::span<const double> numbers) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(numbers.data());
  set_answer(std::vector<uint8_t>(bytes, bytes + numbers.size_bytes()));
}

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
  void answer() { set_answer(std::move(text_)); }

 private:
  std::string text_;
  size_t n_ = 0;
};

/// A text, which is empty where none is given.
std::optional<float> scale_option(Arguments& given, const Trainer& trainer) {
  const std::string text(given.bytes());
  if (text.empty()) return {};
  return scale_of(text, trainer.config().model.layer.attention, kOp);
}

RunOptions record_options(Arguments& given) {
  RunOptions options;
  options.examples = given.integer();
  options.head_examples = given.integer();
  return options;
}

void make(Arguments& given) {
  const Request fields(given.bytes());
  answer_object(std::make_unique<TrainerObject>(config_of(fields.params, kOp)));
}

void load(Arguments& given) {
  const std::span<const uint8_t> checkpoint = file(given);
  auto made = std::make_unique<TrainerObject>(checkpoint_config(checkpoint));
  made->restore(checkpoint);
  answer_object(std::move(made));
}

void list_fields(Arguments&) {
  Fields fields;
  for (const ConfigField& field : config_fields({})) {
    for (const std::string* text : {&field.name, &field.expected, &field.value}) fields.add(*text);
  }
  fields.answer();
}

/// chance, ceiling, n_parameters, columns..
void facts(Arguments& given) {
  const Trainer& trainer = trainer_of(given);
  Fields fields;
  fields.add_number(trainer.task().chance());
  fields.add_number(trainer.task().ceiling());
  fields.add_number(static_cast<double>(trainer.parameters().size()));
  fields.add(record_columns(trainer));
  fields.answer();
}

void config(Arguments& given) {
  Fields fields;
  for (const ConfigField& field : config_fields(trainer_of(given).config())) {
    fields.add(field.name);
    fields.add(field.value);
  }
  fields.answer();
}

void state(Arguments& given) {
  const Trainer& trainer = trainer_of(given);
  const double numbers[] = {static_cast<double>(trainer.steps()), trainer.config().optimizer.learning_rate};
  answer_numbers(numbers);
}

void set_rate(Arguments& given) {
  Trainer& trainer = trainer_of(given);
  trainer.set_learning_rate(given.number());
}

void step(Arguments& given) {
  TrainerObject& object = border::object<TrainerObject>(given);
  object.last.reset();  // of the last step nothing is left where this one throws
  const StepResult done = object.trainer.step();
  object.last = done;
  const double numbers[] = {static_cast<double>(done.step), done.loss, done.learning_rate, done.gradient_norm,
                            done.updated ? 1.0 : 0.0};
  answer_numbers(numbers);
}

void make_record(Arguments& given) {
  TrainerObject& object = border::object<TrainerObject>(given);
  const RunOptions options = record_options(given);
  answer_numbers(record_row(record(object.trainer, object.last, options)));
}

void evaluate(Arguments& given) {
  Trainer& trainer = trainer_of(given);
  const int64_t n = given.integer();
  const Evaluation result = trainer.evaluate(n, scale_option(given, trainer));
  const double numbers[] = {result.loss, result.token_accuracy, result.sequence_accuracy};
  answer_numbers(numbers);
}

/// n_source, n_answer, and for each example the texts of its source, expected answer and answer.
void answers(Arguments& given) {
  Trainer& trainer = trainer_of(given);
  const int64_t first = given.integer(), n = given.integer();
  const std::vector<AnswerText> texts = trainer.answers(n, scale_option(given, trainer), first);
  Fields fields;
  fields.add_number(static_cast<double>(trainer.task().n_source()));
  fields.add_number(static_cast<double>(trainer.task().n_answer()));
  for (const AnswerText& text : texts) {
    fields.add(text.source);
    fields.add(text.expected);
    fields.add(text.answer);
  }
  fields.answer();
}

/// For each head: attention, head, n_q, n_k, address of the weights, queries.., keys..
void attention_maps(Arguments& given) {
  TrainerObject& object = border::object<TrainerObject>(given);
  const int64_t example = given.integer();
  object.maps = object.trainer.attention_maps(example, scale_option(given, object.trainer));
  Fields fields;
  for (const AttentionMap& map : object.maps) {
    fields.add(map.attention);
    for (const int64_t number : {map.head, map.n_q, map.n_k}) fields.add(std::to_string(number));
    fields.add(std::to_string(reinterpret_cast<Pointer>(map.weights.data())));
    fields.add(map.queries);
    fields.add(map.keys);
  }
  fields.answer();
}

void save(Arguments& given) { set_answer(trainer_of(given).save()); }

void restore(Arguments& given) {
  TrainerObject& object = border::object<TrainerObject>(given);
  object.restore(file(given));
}

void hash(Arguments& given) {
  uint64_t hash = trainer_of(given).weight_hash();
  std::string digits(16, '0');
  for (size_t i = digits.size(); i-- > 0; hash >>= 4) digits[i] = "0123456789abcdef"[hash & 15];
  set_answer(std::move(digits));
}

void list_parameters(Arguments& given) {
  const Parameters& parameters = trainer_of(given).parameters();
  const float* const values = parameters.values().data();
  Listing listing;
  const auto add = [&](const std::string& name, int index) {
    const Parameter& parameter = parameters.list()[static_cast<size_t>(index)];
    listing.add(name, values + parameter.offset, parameter.shape);
  };
  for (size_t i = 0; i < parameters.list().size(); ++i) add(parameters.list()[i].name, static_cast<int>(i));
  for (const auto& [name, index] : parameters.aliases()) add(name, index);
  listing.answer();
}

}  // namespace

std::span<const Operator> trainer_operators() {
  static constexpr Operator kOperators[] = {
      {"make_trainer", &call<make>},          {"load_trainer", &call<load>},
      {"trainer_fields", &call<list_fields>}, {"trainer_facts", &call<facts>},
      {"trainer_config", &call<config>},      {"trainer_state", &call<state>},
      {"set_learning_rate", &call<set_rate>}, {"trainer_step", &call<step>},
      {"trainer_record", &call<make_record>}, {"trainer_evaluate", &call<evaluate>},
      {"trainer_answers", &call<answers>},    {"trainer_maps", &call<attention_maps>},
      {"save_trainer", &call<save>},          {"restore_trainer", &call<restore>},
      {"trainer_hash", &call<hash>},          {"trainer_parameters", &call<list_parameters>},
  };
  return kOperators;
}

}  // namespace sqrtdk::border
