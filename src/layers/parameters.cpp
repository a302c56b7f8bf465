#include "layers/parameters.h"

#include <algorithm>

#include "tensor/errors.h"

namespace sqrtdk {

void Parameters::check_new(const std::string& name) const {
  if (find(name) < 0) return;
  throw ValueError(ErrorCode::kUnsupported, "parameters", "name", "a name that is not there yet", name);
}

void Parameters::check_allocated(bool expected) const {
  const bool allocated = values_.data() != nullptr;
  if (allocated == expected) return;
  throw ValueError(ErrorCode::kUnsupported, "parameters", "block",
                   expected ? "allocated" : "not yet allocated",
                   allocated ? "allocated" : "not yet allocated");
}

const Parameter& Parameters::at(int index) const {
  if (index < 0 || index >= static_cast<int>(list_.size())) {
    throw_out_of_range("parameters", "index", 0, static_cast<int64_t>(list_.size()) - 1, index);
  }
  return list_[static_cast<size_t>(index)];
}

int Parameters::add(const std::string& name, const Shape& shape) {
  check_allocated(false);
  check_new(name);
  list_.push_back({name, shape, size_});
  size_ += shape.size();
  return static_cast<int>(list_.size()) - 1;
}

void Parameters::add_alias(const std::string& name, int index) {
  at(index);
  check_new(name);
  aliases_.emplace_back(name, index);
}

void Parameters::allocate() {
  check_allocated(false);
  Storage values(size_), gradients(size_);
  std::fill_n(values.data(), size_, 0.0f);
  std::fill_n(gradients.data(), size_, 0.0f);
  values_ = std::move(values);
  gradients_ = std::move(gradients);
}

int Parameters::find(const std::string& name) const {
  for (size_t i = 0; i < list_.size(); ++i) {
    if (list_[i].name == name) return static_cast<int>(i);
  }
  for (const auto& [alias, index] : aliases_) {
    if (alias == name) return index;
  }
  return -1;
}

View Parameters::value(int index) {
  check_allocated(true);
  const Parameter& parameter = at(index);
  return {values_.data() + parameter.offset, parameter.shape};
}

ConstView Parameters::value(int index) const {
  check_allocated(true);
  const Parameter& parameter = at(index);
  return {values_.data() + parameter.offset, parameter.shape};
}

View Parameters::gradient(int index) {
  check_allocated(true);
  const Parameter& parameter = at(index);
  return {gradients_.data() + parameter.offset, parameter.shape};
}

std::span<float> Parameters::values() { return {values_.data(), static_cast<size_t>(values_.size())}; }

std::span<const float> Parameters::values() const {
  return {values_.data(), static_cast<size_t>(values_.size())};
}

std::span<float> Parameters::gradients() {
  return {gradients_.data(), static_cast<size_t>(gradients_.size())};
}

std::span<const float> Parameters::gradients() const {
  return {gradients_.data(), static_cast<size_t>(gradients_.size())};
}

void Parameters::clear_gradients() { std::fill_n(gradients_.data(), gradients_.size(), 0.0f); }

}  // namespace sqrtdk
