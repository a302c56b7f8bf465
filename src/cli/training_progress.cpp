#include "cli/training_progress.h"

#include <unistd.h>

#include <cstdio>

#include "base/text.h"

namespace sqrtdk::cli {
namespace {

constexpr int64_t kWidth = 24;
constexpr std::chrono::milliseconds kInterval{100};

std::string time_text(double seconds) {
  const auto whole = static_cast<int64_t>(seconds < 360000 ? seconds : 359999);
  char text[32];
  if (whole < 3600) {
    std::snprintf(text, sizeof text, "%d:%02d", static_cast<int>(whole / 60), static_cast<int>(whole % 60));
  } else {
    std::snprintf(text, sizeof text, "%d:%02d:%02d", static_cast<int>(whole / 3600),
                  static_cast<int>(whole / 60 % 60), static_cast<int>(whole % 60));
  }
  return text;
}

}  // namespace

TrainingProgress::TrainingProgress(int64_t first, int64_t total)
    : terminal_(isatty(STDERR_FILENO) != 0), first_(first), total_(total) {}

void TrainingProgress::step(const StepResult& result) {
  const Clock::time_point now = Clock::now();
  if (!terminal_ || (now - shown_ < kInterval && result.step < total_)) return;
  shown_ = now;
  const double done = static_cast<double>(result.step) / static_cast<double>(total_);
  const auto filled = static_cast<size_t>(done * kWidth);
  const std::chrono::duration<double> seconds = now - start_;
  const double rate = static_cast<double>(result.step - first_) / seconds.count();
  std::string text = std::string(1, '[') + std::string(filled, '#') + std::string(kWidth - filled, '-') +
                     "] " + std::to_string(result.step) + "/" + std::to_string(total_) + "  loss " +
                     fixed(result.loss, 4);
  if (accuracy_) text += "  tokens right " + fixed(*accuracy_, 3);
  text += "  " + fixed(rate, rate < 10 ? 1 : 0) + " steps/s  " +
          time_text(static_cast<double>(total_ - result.step) / rate) + " left";
  std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
}

void TrainingProgress::record(const Record& record) {
  accuracy_ = record.evaluation.token_accuracy;
  if (terminal_) return;
  const Evaluation& after = record.evaluation;
  std::fprintf(stderr, "step %lld/%lld  loss %s  tokens right %s  sequences right %s\n",
               static_cast<long long>(record.step), static_cast<long long>(total_),
               fixed(after.loss, 4).c_str(), fixed(after.token_accuracy, 3).c_str(),
               fixed(after.sequence_accuracy, 3).c_str());
}

void TrainingProgress::clear() {
  if (terminal_) std::fputs("\r\x1b[K", stderr);
}

}  // namespace sqrtdk::cli
