#include "cli/train.h"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "base/errors.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/print.h"
#include "cli/train_options.h"
#include "cli/training_log.h"
#include "cli/training_progress.h"

namespace sqrtdk::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;  // by this signal, or 0

void interrupt(int signal) { interrupted = signal; }

// A second signal ends the process at once. What the caller ignores, as nohup does, stays ignored.
void catch_signals() {
  struct sigaction action {};
  action.sa_handler = interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void save(const Trainer& trainer, const std::string& path) {
  if (path.empty()) return;
  const std::vector<uint8_t> bytes = trainer.save();
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "train", "checkpoint");
}

// Whether it came to its end.
bool run_steps(Trainer& trainer, const TrainOptions& options) {
  std::optional<TrainingLog> log;
  if (!options.log.empty()) log.emplace(options.log, trainer, !options.resumed.empty());
  TrainingProgress progress(trainer.steps(), options.steps);
  RunOptions how{options.record_every, options.examples, std::min<int64_t>(options.examples, 32)};
  how.on_record = [&](const Record& record) {
    if (log) log->write(record);
    progress.record(record);
  };
  how.on_step = [&](const StepResult& result) {
    progress.step(result);
    if (options.checkpoint_every > 0 && result.step % options.checkpoint_every == 0) {
      save(trainer, options.checkpoint);
    }
    return interrupted == 0;
  };
  try {
    run(trainer, options.steps - trainer.steps(), how);
  } catch (const Cancelled&) {
    return false;
  }
  return true;
}

std::string text_of(const Trainer& trainer, const std::vector<std::string>& tokens) {
  const std::string& name = trainer.config().task.name;
  const char* const between = name == "dates" || name == "characters" ? "" : " ";
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) text.append(i > 0 ? between : "").append(tokens[i]);
  return clipped(text);
}

std::string answers_text(Trainer& trainer, int64_t n) {
  Table table = {{"", "tokens right", "answer", "expected", "source"}};
  for (const auto& [source, expected, answer] : trainer.answers(n)) {
    size_t right = 0;
    for (size_t j = 0; j < expected.size(); ++j) right += answer[j] == expected[j];
    table.push_back({right == expected.size() ? "right" : "wrong",
                     std::to_string(right) + "/" + std::to_string(expected.size()), text_of(trainer, answer),
                     text_of(trainer, expected), text_of(trainer, source)});
  }
  return aligned(table);
}

std::string result_text(Trainer& trainer, const TrainOptions& options) {
  const Evaluation after = trainer.evaluate(options.examples);
  const double ceiling = trainer.task().ceiling();
  const std::string most = ceiling < 1 ? ", at most " + fixed(ceiling, 4) : "";
  std::string text = "loss " + fixed(after.loss, 4) + "\ntokens right " + fixed(after.token_accuracy, 4) +
                     " (by chance " + fixed(trainer.task().chance(), 4) + most + ")\nsequences right " +
                     fixed(after.sequence_accuracy, 4) + "\n";
  if (options.answers > 0) text.append("\n").append(answers_text(trainer, options.answers));
  return text;
}

std::string state_text(const Trainer& trainer) {
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(trainer.weight_hash()));
  return "steps " + std::to_string(trainer.steps()) + "\nweights " + hash + "\n";
}

}  // namespace

int train(const std::vector<std::string>& words) {
  const TrainOptions options = parse_train(words);
  if (options.help) {
    print(train_help());
    return 0;
  }
  Trainer trainer(options.config);
  if (!options.resumed.empty()) trainer.restore(options.resumed);
  if (options.steps < trainer.steps()) {
    throw UsageError("train: --steps " + std::to_string(options.steps) + ", expected at least the " +
                     std::to_string(trainer.steps()) + " of the checkpoint to resume");
  }
  if (!options.checkpoint.empty()) check_writable(options.checkpoint, "train", "checkpoint");
  catch_signals();
  const bool finished = run_steps(trainer, options);
  save(trainer, options.checkpoint);
  std::string text = state_text(trainer);
  if (finished) text += result_text(trainer, options);
  print(text);
  if (finished) return 0;
  std::fputs(options.checkpoint.empty() ? "stopped; without --checkpoint nothing is kept\n"
                                        : "stopped; --resume goes on from the checkpoint\n",
             stderr);
  return 128 + interrupted;  // as shells say it
}

}  // namespace sqrtdk::cli
