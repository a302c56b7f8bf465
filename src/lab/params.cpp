#include <algorithm>
#include <cmath>

#include "base/base64.h"
#include "base/decimal.h"
#include "base/errors.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/utf8.h"
#include "formats/read_numbers.h"
#include "lab/common_params.h"

namespace sqrtdk {
namespace {

void check_range(const std::string& op, const Param& param, double value, std::string_view text) {
  if (value < param.min || value > param.max) {
    throw ValueError(ErrorCode::kOutOfRange, op, param.name,
                     shortest(param.min) + " .. " + shortest(param.max), clipped(text));
  }
}

int64_t integer_of(const std::string& op, const Param& param, std::string_view text) {
  const std::optional<int64_t> value = parse_integer(text);
  if (!value) throw ValueError(ErrorCode::kNotANumber, op, param.name, "integer", clipped(text));
  check_range(op, param, static_cast<double>(*value), text);
  return *value;
}

double real_of(const std::string& op, const Param& param, std::string_view text) {
  const std::optional<double> value = parse_double(text);
  if (!value) throw ValueError(ErrorCode::kNotANumber, op, param.name, "number", clipped(text));
  check_range(op, param, *value, text);
  if (!std::isfinite(*value)) {
    throw ValueError(ErrorCode::kNotFinite, op, param.name, "finite number", clipped(text));
  }
  return *value;
}

uint64_t seed_of(const std::string& op, const Param& param, std::string_view text) {
  const std::optional<uint64_t> value = parse_unsigned(text);
  if (value) return *value;
  if (!parse_integer(text))
    throw ValueError(ErrorCode::kNotANumber, op, param.name, "integer", clipped(text));
  throw ValueError(ErrorCode::kOutOfRange, op, param.name, "0 .. 18446744073709551615", clipped(text));
}

std::vector<std::string_view> items_of(const std::string& op, const Param& param, std::string_view text) {
  if (trimmed(text).empty()) throw ValueError(ErrorCode::kEmpty, op, param.name, "at least 1 value", "");
  std::vector<std::string_view> items = split(text, ',');
  if (items.size() > param.max_count) {
    throw ValueError(ErrorCode::kTooMany, op, param.name, std::to_string(param.max_count),
                     std::to_string(items.size()));
  }
  return items;
}

Matrix matrix_of(const std::string& op, const Param& param, std::string_view text) {
  NumberArray array = read_csv(text, op, param.name);
  return {array.shape[0], array.shape[1], std::move(array.values)};
}

std::string matrix_text(const Matrix& matrix) {
  std::string text;
  for (int64_t i = 0; i < matrix.rows * matrix.cols; ++i) {
    if (i > 0) text += i % matrix.cols == 0 ? ';' : ',';
    text += shortest(matrix.values[static_cast<size_t>(i)]);
  }
  return text;
}

void check_bytes(const std::string& op, const Param& param, size_t count) {
  if (count > param.max_count) {
    throw ValueError(ErrorCode::kTooMany, op, param.name, std::to_string(param.max_count) + " bytes",
                     std::to_string(count) + " bytes");
  }
}

std::string words_of(const std::string& op, const Param& param, std::string_view text) {
  check_bytes(op, param, text.size());
  if (!is_utf8(text)) throw FormatError(ErrorCode::kUnsupported, op, param.name, "UTF-8", "other bytes");
  return std::string(text);
}

std::vector<uint8_t> file_of(const std::string& op, const Param& param, std::string_view text) {
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  const size_t count = text.size() / 4 * 3 - std::min(padding, text.size() / 4 * 3);
  check_bytes(op, param, count);
  if (!is_base64(text, count)) {
    throw FormatError(ErrorCode::kUnsupported, op, param.name, "Base64", "other text");
  }
  std::vector<uint8_t> bytes(count);
  decode_base64(text, bytes.data(), count);
  return bytes;
}

/// A file's bytes are too many to repeat: their number and hash tell two files apart.
std::string file_text(const std::vector<uint8_t>& bytes) {
  Hash hash;
  hash.add(bytes);
  return std::to_string(bytes.size()) + " bytes, " + hash.hex();
}

}  // namespace

Params Params::parse(const std::string& op, std::span<const Param> description,
                     const std::map<std::string, std::string>& text) {
  std::vector<const char*> names;
  for (const Param& param : description) names.push_back(param.name);
  for (const auto& [name, value] : text) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw ValueError(ErrorCode::kUnknownName, op, "parameter", joined(names), clipped(name));
    }
  }

  Params params;
  for (const Param& param : description) {
    const auto given = text.find(param.name);
    const std::string_view whole =
        given == text.end() ? std::string_view(param.default_value) : given->second;
    const std::string_view item = trimmed(whole);
    Value& value = params.values_[param.name];
    std::string canonical;
    const auto append = [&canonical](const std::string& part) {
      canonical += (canonical.empty() ? "" : ",") + part;
    };
    switch (param.type) {
      case ParamType::kInt:
        value.integers = {integer_of(op, param, item)};
        append(std::to_string(value.integers[0]));
        break;
      case ParamType::kIntList:
        for (const std::string_view part : items_of(op, param, whole)) {
          value.integers.push_back(integer_of(op, param, part));
          append(std::to_string(value.integers.back()));
        }
        break;
      case ParamType::kReal:
        value.real = real_of(op, param, item) + 0.0;  // -0 is 0
        append(shortest(value.real));
        break;
      case ParamType::kChoice:
        if (std::find(param.choices.begin(), param.choices.end(), item) == param.choices.end()) {
          throw ValueError(ErrorCode::kNotAChoice, op, param.name, joined(param.choices), clipped(item));
        }
        value.choice = item;
        append(value.choice);
        break;
      case ParamType::kScaleList:
        for (const std::string_view part : items_of(op, param, whole)) {
          value.scales.push_back(parse_scale(op, std::string(part), param.choices));
          append(value.scales.back().name);
        }
        break;
      case ParamType::kSeed:
        value.seed = seed_of(op, param, item);
        append(std::to_string(value.seed));
        break;
      case ParamType::kMatrix:
        if (!item.empty()) {
          value.matrix = matrix_of(op, param, whole);
          append(matrix_text(*value.matrix));
        }
        break;
      case ParamType::kText:
        value.words = words_of(op, param, whole);
        append(value.words);
        break;
      case ParamType::kFile:
        value.file = file_of(op, param, item);
        if (!value.file.empty()) append(file_text(value.file));
        break;
    }
    params.text_.emplace_back(param.name, std::move(canonical));
  }
  return params;
}

int64_t Params::integer(const std::string& name) const { return values_.at(name).integers.at(0); }
const std::vector<int64_t>& Params::integers(const std::string& name) const {
  return values_.at(name).integers;
}
double Params::real(const std::string& name) const { return values_.at(name).real; }
const std::string& Params::choice(const std::string& name) const { return values_.at(name).choice; }
const std::vector<Scale>& Params::scales(const std::string& name) const { return values_.at(name).scales; }
uint64_t Params::seed(const std::string& name) const { return values_.at(name).seed; }
const Matrix* Params::matrix(const std::string& name) const {
  const std::optional<Matrix>& matrix = values_.at(name).matrix;
  return matrix ? &*matrix : nullptr;
}
const std::string& Params::words(const std::string& name) const { return values_.at(name).words; }
std::span<const uint8_t> Params::file(const std::string& name) const { return values_.at(name).file; }

std::vector<int64_t> ascending(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

void check_within(const char* op, const char* name, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return;
  throw ValueError(ErrorCode::kOutOfRange, op, name, std::to_string(low) + " .. " + std::to_string(high),
                   std::to_string(value));
}

void check_heads(const char* op, int64_t d_model, int64_t n_heads) {
  if (d_model % n_heads == 0) return;
  throw ValueError(ErrorCode::kOutOfRange, op, "n_heads", "a divisor of d_model = " + std::to_string(d_model),
                   std::to_string(n_heads));
}

}  // namespace sqrtdk
