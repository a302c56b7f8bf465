#include "layers/parameters.h"

#include <algorithm>

#include "base/errors.h"
#include "kernels/elementwise.h"

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

int Parameters::add(const std::string& name, const Shape& shape, ParameterRole role, int64_t n_in) {
  check_allocated(false);
  check_new(name);
  list_.push_back({name, shape, size_, role, n_in});
  size_ += shape.size();
  return static_cast<int>(list_.size()) - 1;
}

void Parameters::add_alias(const std::string& name, int index) {
  at(index);
  check_new(name);
  aliases_.emplace_back(name, index);
}

int Parameters::add_matrix(int parameter, int64_t first, int64_t n) {
  at(parameter);
  end_packing();
  matrices_.push_back({parameter, first, n});
  return static_cast<int>(matrices_.size()) - 1;
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
  end_packing();
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
  end_packing();
  check_allocated(true);
  const Parameter& parameter = at(index);
  return {gradients_.data() + parameter.offset, parameter.shape};
}

std::span<float> Parameters::values() {
  end_packing();
  return {values_.data(), static_cast<size_t>(values_.size())};
}

std::span<const float> Parameters::values() const {
  return {values_.data(), static_cast<size_t>(values_.size())};
}

std::span<float> Parameters::gradients() {
  end_packing();
  return {gradients_.data(), static_cast<size_t>(gradients_.size())};
}

std::span<const float> Parameters::gradients() const {
  return {gradients_.data(), static_cast<size_t>(gradients_.size())};
}

void Parameters::clear_gradients() { clear_elements({gradients_.data(), {gradients_.size()}}); }

void Parameters::pack(WeightFormat format) {
  check_allocated(true);
  if (format != format_) end_packing();
  format_ = format;
  if (!packed_.empty()) return;
  const auto columns = [&](const Matrix& matrix) { return at(matrix.parameter).shape[-1]; };
  int64_t size = 0;
  for (const Matrix& matrix : matrices_)
    size += Arena::padded(weights_size(columns(matrix), matrix.n, format));
  packed_storage_ = Storage(size);
  packed_.reserve(matrices_.size());
  float* to = packed_storage_.data();
  for (const Matrix& matrix : matrices_) {
    const int64_t k = columns(matrix);
    const float* const rows = values_.data() + at(matrix.parameter).offset + matrix.first * k;
    packed_.push_back(pack_weights({rows, {matrix.n, k}}, Transpose::kYes, format, to));
    to += Arena::padded(weights_size(k, matrix.n, format));
  }
}

const PackedWeights* Parameters::packed(int matrix) const {
  return packed_.empty() ? nullptr : &packed_.at(static_cast<size_t>(matrix));
}

void Parameters::end_packing() {
  packed_.clear();
  packed_storage_ = Storage();
}

}  // namespace sqrtdk
