#include "models/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/text.h"
#include "training/config_text.h"

namespace sqrtdk {
namespace {

constexpr const char* kOp = "restore";
constexpr const char* kArgument = "checkpoint";
constexpr uint64_t kMostSteps = 999'999'999'999'999;
constexpr const char* kSteps = "steps";
constexpr const char* kOptimizerSteps = "optimizer.steps";

std::string moment_name(int i) { return "optimizer." + to_text(i); }

int64_t steps_of(const Metadata& metadata, const char* name) {
  for (const auto& [key, text] : metadata) {
    if (key != name) continue;
    const std::optional<uint64_t> steps = parse_unsigned(text);
    if (!steps || *steps > kMostSteps)
      throw FormatError(ErrorCode::kUnsupported, kOp, kArgument, name + std::string(": an integer"), text);
    return static_cast<int64_t>(*steps);
  }
  throw FormatError(ErrorCode::kUnsupported, kOp, kArgument, name, "a checkpoint without it");
}

void check_config(const Metadata& ours, const Metadata& theirs) {
  for (const auto& [key, text] : ours) {
    if (key == "config.learning_rate") continue;
    const auto same_key = [&key = key](const auto& pair) { return pair.first == key; };
    const auto found = std::find_if(theirs.begin(), theirs.end(), same_key);
    if (found != theirs.end() && found->second == text) continue;
    throw FormatError(ErrorCode::kUnsupported, kOp, kArgument, key + " " + text,
                      found == theirs.end() ? "a checkpoint without it" : found->second);
  }
}

// Throws unless the file has as many numbers as the config's model. d_model is checked first: both tables
// have it.
void check_numbers(const TrainerConfig& config, std::span<const NamedTensor> tensors, std::string_view op,
                   std::string_view argument) {
  int64_t width = 0, numbers = 0;
  for (const NamedTensor& tensor : tensors) {
    if (tensor.name == "embedding.weight" && tensor.shape.rank() == 2) width = tensor.shape[1];
    if (!tensor.name.starts_with("optimizer.")) numbers += tensor.shape.size();
  }
  const auto check = [&](const char* what, int64_t expected, int64_t got) {
    if (got == expected) return;
    throw FormatError(ErrorCode::kUnsupported, op, argument, to_text(expected) + what, to_text(got));
  };
  check(" columns of embedding.weight", config.model.layer.attention.d_model, width);
  Parameters parameters;
  const std::unique_ptr<Task> task = make_task(config.task);
  const TaskModel model(parameters, *task, config.topology, config.model);
  check(" parameters", parameters.size(), numbers);
}

// Removes it from the tensors.
NamedTensor take_moment(std::vector<NamedTensor>& tensors, int i, int64_t size) {
  const std::string name = moment_name(i);
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const NamedTensor& tensor) { return tensor.name == name; });
  if (found == tensors.end() || found->shape != Shape{size}) {
    throw FormatError(ErrorCode::kUnsupported, kOp, kArgument, name + " " + Shape{size}.text(),
                      found == tensors.end() ? "a checkpoint without it" : found->shape.text());
  }
  NamedTensor moment = *found;
  check_bytes(moment, kOp, kArgument);
  tensors.erase(found);
  return moment;
}

}  // namespace

std::vector<uint8_t> Trainer::save() const {
  Metadata metadata = config_metadata(config_);
  metadata.emplace_back(kSteps, to_text(steps_));
  metadata.emplace_back(kOptimizerSteps, to_text(optimizer_->steps()));
  std::vector<TensorToWrite> tensors;
  const std::span<const Parameter> list = parameters_.list();
  for (size_t i = 0; i < list.size(); ++i) {
    tensors.push_back({list[i].name, parameters_.value(static_cast<int>(i))});
  }
  const Optimizer& optimizer = *optimizer_;
  for (int i = 0; i < optimizer.n_moments(); ++i) {
    tensors.push_back({moment_name(i), {optimizer.moment(i).data(), {parameters_.size()}}});
  }
  return write_safetensors(tensors, Encoding::kF32, metadata);
}

void Trainer::restore(std::span<const uint8_t> checkpoint) {
  const SafeTensors file = read_safetensors(checkpoint, kOp, kArgument);
  const Metadata metadata = read_metadata(file.metadata);
  check_config(config_metadata(config_), metadata);
  const int64_t steps = steps_of(metadata, kSteps), optimizer_steps = steps_of(metadata, kOptimizerSteps);
  const double learning_rate = read_config(metadata, kOp, kArgument).optimizer.learning_rate;
  if (!(learning_rate >= 0 && std::isfinite(learning_rate))) {
    throw FormatError(ErrorCode::kUnsupported, kOp, kArgument, "learning_rate: finite and at least 0",
                      to_general(learning_rate, 17));
  }

  std::vector<NamedTensor> values = file.tensors, moments;
  for (int i = 0; i < optimizer_->n_moments(); ++i)
    moments.push_back(take_moment(values, i, parameters_.size()));
  std::vector<GradientNorm> norms = unknown_norms();
  load_state(parameters_, values, {}, kOp, kArgument);  // after which nothing is allocated
  for (int i = 0; i < optimizer_->n_moments(); ++i) {
    write_values(moments[static_cast<size_t>(i)], optimizer_->moment(i).data());
  }
  steps_ = steps;
  config_.optimizer.learning_rate = learning_rate;
  optimizer_->set_steps(optimizer_steps);
  gradients_of_step_ = false;
  step_norms_ = std::move(norms);
}

TrainerConfig checkpoint_config(std::span<const uint8_t> checkpoint) {
  return checkpoint_config(read_safetensors(checkpoint, kOp, kArgument), kOp, kArgument);
}

TrainerConfig checkpoint_config(const SafeTensors& file, std::string_view op, std::string_view argument) {
  const TrainerConfig config = read_config(read_metadata(file.metadata), op, argument);
  try {
    check_numbers(config, file.tensors, op, argument);
  } catch (const FormatError&) {
    throw;
  } catch (const Error& error) {
    throw FormatError(error.code, op, argument, error.argument + " " + error.expected, error.got);
  }
  return config;
}

}  // namespace sqrtdk
