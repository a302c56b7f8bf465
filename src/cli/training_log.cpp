#include "cli/training_log.h"

#include <filesystem>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/files.h"

namespace sqrtdk::cli {
namespace {

constexpr const char* kOp = "train";
constexpr const char* kArgument = "log";

std::string header(const Trainer& trainer) { return joined(record_columns(trainer), ",") + "\n"; }

std::string line_of(const Record& record) {
  std::vector<std::string> numbers;
  for (const double x : record_row(record)) numbers.push_back(shortest(x));
  return joined(numbers, ",") + "\n";
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
  if (append && std::filesystem::is_regular_file(path_, unknown)) {
    text = kept(read_file(path_, kOp, kArgument), text, trainer.steps());
  }
  write_file(path_, text, kOp, kArgument);
}

void TrainingLog::write(const Record& record) { append_file(path_, line_of(record), kOp, kArgument); }

}  // namespace sqrtdk::cli
