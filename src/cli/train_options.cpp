#include "cli/train_options.h"

#include <algorithm>
#include <limits>

#include "base/decimal.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/print.h"
#include "cli/schema.h"
#include "training/config_text.h"

namespace sqrtdk::cli {
namespace {

constexpr const char* kOp = "train";
constexpr int64_t kMaxSteps = 1'000'000'000'000, kMaxExamples = 1'000'000;

constexpr struct {
  const char *name, *value, *what;
} kFiles[] = {{"log", "FILE.csv", "a line for each record; with --resume, they go on there"},
              {"checkpoint", "FILE", "written on the way, at the end, and where Ctrl-C stops the run"},
              {"resume", "FILE", "a checkpoint to go on from, with its config"}};

constexpr struct {
  const char* name;
  int64_t TrainOptions::*value;
  int64_t min, max;
  const char* what;
} kNumbers[] = {
    {"steps", &TrainOptions::steps, 0, kMaxSteps, "how many there are at the end, with the checkpoint's"},
    {"record_every", &TrainOptions::record_every, 0, kMaxSteps, "steps from record to record; 0: none"},
    {"examples", &TrainOptions::examples, 1, kMaxExamples, "of the evaluation"},
    {"checkpoint_every", &TrainOptions::checkpoint_every, 0, kMaxSteps,
     "steps from checkpoint to checkpoint; 0: at the end"},
    {"answers", &TrainOptions::answers, 0, kMaxExamples, "of the model to be shown at the end"}};

using Words = Texts;

bool is_known(const std::string& name) {
  const auto same = [&](const auto& option) { return option.name == name; };
  const std::vector<ConfigField> fields = config_fields({});
  return name == "help" || std::any_of(std::begin(kFiles), std::end(kFiles), same) ||
         std::any_of(std::begin(kNumbers), std::end(kNumbers), same) ||
         std::any_of(fields.begin(), fields.end(), same);
}

Words options_of(const std::vector<std::string>& words) {
  Words options;
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string option = words[i].substr(0, equals);
    if (!option.starts_with("--") || !is_known(option.substr(2))) {
      throw UsageError("train: unexpected " + clipped(option) +
                       ", expected --name value; `sqrtdk train --help` lists the names");
    }
    const bool is_help = option == "--help";
    if (equals == std::string::npos && i + 1 == words.size() && !is_help) {
      throw UsageError("train: " + option + " needs a value: " + option + " VALUE");
    }
    const std::string value = equals != std::string::npos ? words[i].substr(equals + 1)
                              : is_help                   ? ""
                                                          : words[++i];
    if (!options.emplace(option.substr(2), value).second) {
      throw UsageError("train: " + option + " is given twice, expected once");
    }
  }
  return options;
}

int64_t number_of(const std::string& name, const std::string& text, int64_t min, int64_t max) {
  const std::optional<int64_t> number = parse_integer(text);
  if (number && *number >= min && *number <= max) return *number;
  throw UsageError("train: --" + name + " " + clipped(text) + ", expected " + std::to_string(min) + " .. " +
                   std::to_string(max));
}

void set_config(TrainerConfig& config, Words given) {
  const auto text = given.find("text");
  if (text != given.end() && text->second.starts_with('@')) {
    text->second = read_file(text->second.substr(1), kOp, "text");
  }
  config = config_of(given, kOp, config);
}

void check_same(const TrainerConfig& ours, const TrainerConfig& checkpoint) {
  const std::vector<ConfigField> given = config_fields(ours), theirs = config_fields(checkpoint);
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].value == theirs[i].value) continue;
    throw UsageError("train: --" + given[i].name + " " + clipped(given[i].value) + ", expected " +
                     clipped(theirs[i].value) + " as in the checkpoint to resume");
  }
}

// What it may be, and where no names say it, what it is.
std::string values_text(const SchemaField& field) {
  const std::string type = field.type;
  if (type == "scale") return joined(field.choices) + " or a number";
  if (!field.choices.empty()) return joined(field.choices);
  std::string text = field.about.help;
  if (field.name == std::string_view("text")) text += ", or @FILE";
  const bool other = *field.about.otherwise != 0 && type != "flag";
  return other ? text + "; " + field.value + ": " + field.about.otherwise : text;
}

}  // namespace

TrainOptions parse_train(const std::vector<std::string>& words) {
  Words given = options_of(words);
  TrainOptions options;
  options.help = given.contains("help");
  if (options.help) return options;
  const auto take = [&](const char* name) {
    const auto found = given.find(name);
    if (found == given.end()) return std::string();
    std::string text = found->second;
    if (text.empty()) throw UsageError(std::string("train: --") + name + ": expected a value");
    given.erase(found);
    return text;
  };
  for (const auto& number : kNumbers) {
    if (!given.contains(number.name)) continue;
    options.*number.value = number_of(number.name, take(number.name), number.min, number.max);
  }
  options.log = take("log");
  options.checkpoint = take("checkpoint");
  if (!options.log.empty() && options.log == options.checkpoint) {
    throw UsageError("train: --log and --checkpoint are the same file, expected two");
  }
  const std::string resume = take("resume");
  if (!resume.empty()) {
    const std::string bytes = read_file(resume, kOp, "resume");
    options.resumed.assign(bytes.begin(), bytes.end());
    options.config = checkpoint_config(read_safetensors(options.resumed, kOp, "resume"), kOp, "resume");
  }
  const TrainerConfig start = options.config;
  set_config(options.config, given);
  if (!resume.empty()) check_same(options.config, start);
  return options;
}

std::string train_help() {
  Table own, fields = {{"", "default", "values or meaning"}};
  for (const auto& file : kFiles) own.push_back({std::string("  --") + file.name, file.value, file.what});
  for (const auto& number : kNumbers) {
    own.push_back(
        {std::string("  --") + number.name, std::to_string(TrainOptions().*number.value), number.what});
  }
  for (const SchemaField& field : trainer_schema()) {
    fields.push_back({std::string("  --") + field.name, field.value, values_text(field)});
  }
  return "usage: sqrtdk train [--name value ...]\n"
         "\n"
         "A small transformer learns a task that is made from the seed. The same options give the same bits, "
         "in\n"
         "one run or stopped and resumed. Ctrl-C finishes the step and writes the checkpoint.\n"
         "\n" +
         aligned(own) + "\nThe task, the model, its start and its optimizer:\n" + aligned(fields) +
         "\nExit status: 0, 1 where standard output cannot be written, 2 where an argument or a number is "
         "wrong,\n128 and the signal's number where SIGINT (130), SIGTERM (143) or SIGHUP (129) stopped "
         "it.\n";
}

}  // namespace sqrtdk::cli
