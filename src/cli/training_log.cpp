#include "cli/training_log.h"

#include <filesystem>

#include "cli/arguments.h"
#include "cli/files.h"
#include "experiments/text.h"

namespace sqrtdk::cli {
namespace {

constexpr const char* kOp = "train";
constexpr const char* kArgument = "log";

std::string header(const Trainer& trainer) {
  std::string text = "step,loss,learning_rate,gradient_norm,evaluation_loss,token_accuracy,sequence_accuracy";
  for (const GradientNorm& layer : trainer.layer_gradient_norms()) text += ",gradient_norm." + layer.layer;
  for (const char* what : {",entropy.", ",saturated."}) {
    for (const std::string& attention : trainer.model().attentions()) {
      for (int64_t head = 0; head < trainer.config().model.layer.n_heads; ++head) {
        text += what + attention + "." + std::to_string(head);
      }
    }
  }
  return text + "\n";
}

std::string line_of(const Record& record) {
  std::string text = std::to_string(record.step);
  const auto add = [&](double x) { text += "," + shortest(x); };
  const Evaluation& after = record.evaluation;
  for (const double x : {record.loss, record.learning_rate, record.gradient_norm}) add(x);
  for (const double x : {after.loss, after.token_accuracy, after.sequence_accuracy}) add(x);
  for (const GradientNorm& layer : record.layers) add(layer.norm);
  for (const HeadRecord& head : record.heads) add(head.entropy);
  for (const HeadRecord& head : record.heads) add(head.saturated);
  return text + "\n";
}

// The lines up to a step; a last one that is cut short is none.
std::string kept(const std::string& text, const std::string& header, int64_t steps) {
  if (!text.starts_with(header)) {
    throw UsageError("train: --log has other columns than this run: " + clipped(text) + ", expected " +
                     clipped(header));
  }
  size_t end = header.size();
  for (size_t next; (next = text.find('\n', end)) != std::string::npos; end = next + 1) {
    const std::optional<int64_t> step =
        parse_integer(text.substr(end, std::min(text.find(',', end), next) - end));
    if (!step || *step > steps) break;
  }
  return text.substr(0, end);
}

}  // namespace

TrainingLog::TrainingLog(std::string path, const Trainer& trainer, bool append) : path_(std::move(path)) {
  std::string text = header(trainer);
  std::error_code unknown;  // then writing says what is wrong
  if (append && std::filesystem::exists(path_, unknown)) {
    text = kept(read_file(path_, kOp, kArgument), text, trainer.steps());
  }
  write_file(path_, text, kOp, kArgument);
}

void TrainingLog::write(const Record& record) { append_file(path_, line_of(record), kOp, kArgument); }

}  // namespace sqrtdk::cli
