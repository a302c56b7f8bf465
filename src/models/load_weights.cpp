#include "models/load_weights.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/decimal.h"
#include "base/errors.h"
#include "layers/layer.h"

namespace sqrtdk {
namespace {

constexpr std::string_view kNumber = "{i}";

// The number that stands for {i} in `name`; an empty one where they are equal as they are. No value: no
// match.
std::optional<std::string_view> match(std::string_view pattern, std::string_view name) {
  const size_t at = pattern.find(kNumber);
  if (at == std::string_view::npos) {
    return pattern == name ? std::optional<std::string_view>("") : std::nullopt;
  }
  const std::string_view before = pattern.substr(0, at), after = pattern.substr(at + kNumber.size());
  if (name.size() <= before.size() + after.size()) return {};
  if (!name.starts_with(before) || !name.ends_with(after)) return {};
  const std::string_view number = name.substr(at, name.size() - before.size() - after.size());
  const bool digits = std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? std::optional(number) : std::nullopt;
}

std::string parameter_name(const WeightName& weight, std::string_view number) {
  std::string name(weight.parameter);
  const size_t at = name.find(kNumber);
  return at == std::string::npos ? name : name.replace(at, kNumber.size(), number);
}

class Places {
 public:
  Places(std::span<const WeightName> names, Parameters& parameters, const std::string& name,
         std::string_view op, std::string_view argument)
      : names_(names), parameters_(parameters), name_(name), op_(op), argument_(argument) {}

  View of(const NamedTensor& tensor) const {
    for (const WeightName& weight : names_) {
      const std::optional<std::string_view> number = match(weight.file, tensor.name);
      if (!number) continue;
      const int index = parameters_.find(inside(name_, parameter_name(weight, *number)));
      if (index < 0) break;
      const View whole = parameters_.value(index);
      Shape shape = whole.shape;
      if (weight.parts > 1) shape = {shape[0] / weight.parts, shape[1]};
      if (tensor.shape != shape) fail(ErrorCode::kWrongShape, shape.text(), tensor.shape.text(), tensor.name);
      return {whole.data + weight.part * shape.size(), shape};
    }
    fail(ErrorCode::kUnknownName, "a tensor of the model", "another", tensor.name);
  }

  void check_all(int64_t floats) const {
    int64_t expected = 0;
    const std::string prefix = inside(name_, "");
    for (const Parameter& parameter : parameters_.list()) {
      if (parameter.name.starts_with(prefix)) expected += parameter.shape.size();
    }
    if (floats == expected) return;
    throw FormatError(ErrorCode::kUnsupported, op_, argument_, to_text(expected) + " parameters",
                      to_text(floats));
  }

 private:
  [[noreturn]] void fail(ErrorCode code, std::string_view expected, const std::string& got,
                         const std::string& tensor) const {
    throw FormatError(code, op_, argument_, expected, got + " in tensor " + tensor);
  }

  std::span<const WeightName> names_;
  Parameters& parameters_;
  const std::string& name_;
  std::string_view op_;
  std::string_view argument_;
};

}  // namespace

void load_weights(std::span<const NamedTensor> tensors, std::span<const WeightName> names,
                  Parameters& parameters, const std::string& name, std::string_view op,
                  std::string_view argument) {
  const Places places(names, parameters, name, op, argument);
  std::vector<View> views;
  int64_t floats = 0;
  for (const NamedTensor& tensor : tensors) {
    check_bytes(tensor, op, argument);
    views.push_back(places.of(tensor));
    floats += tensor.shape.size();
  }
  places.check_all(floats);
  for (size_t i = 0; i < tensors.size(); ++i) copy_values(tensors[i], views[i]);
}

}  // namespace sqrtdk
