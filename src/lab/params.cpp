#include <algorithm>
#include <cmath>

#include "base/base64.h"
#include "base/decimal.h"
#include "base/errors.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/utf8.h"
#include "formats/read_numbers.h"
#include "lab/common_params.h"

namespace sqrtdk {
namespace {

std::string matrix_text(const Matrix& matrix) {
  std::string text;
  for (int64_t i = 0; i < matrix.rows * matrix.cols; ++i) {
    if (i > 0) text += i % matrix.cols == 0 ? ';' : ',';
    text += shortest(matrix.values[static_cast<size_t>(i)]);
  }
  return text;
}

/// A file's bytes are too many to repeat: their number and hash tell two files apart.
std::string file_text(const std::vector<uint8_t>& bytes) {
  Hash hash;
  hash.add(bytes);
  return to_text(bytes.size()) + " bytes, " + hash.hex();
}

}  // namespace

/// Reads a parameter's text: sets the value and returns the canonical text.
struct Params::Reader {
  std::string_view op;
  const char* const name;
  const std::string_view text;
  Value& value;

  std::string operator()(const IntParam& kind) const {
    value.integers = {integer(kind, trimmed(text))};
    return to_text(value.integers[0]);
  }
  std::string operator()(const IntListParam& kind) const {
    return each(kind.max_count, [&](std::string_view item) {
      value.integers.push_back(integer(kind, item));
      return to_text(value.integers.back());
    });
  }
  std::string operator()(const RealParam& kind) const {
    const std::string_view item = trimmed(text);
    const std::optional<double> number = parse_double(item);
    if (!number) throw ValueError(ErrorCode::kNotANumber, op, name, "number", clipped(item));
    check_range(kind, *number, item);
    if (!std::isfinite(*number)) {
      throw ValueError(ErrorCode::kNotFinite, op, name, "finite number", clipped(item));
    }
    value.real = *number + 0.0;  // -0 is 0
    return shortest(value.real);
  }
  std::string operator()(const ChoiceParam& kind) const {
    const std::string_view item = trimmed(text);
    if (std::find(kind.choices.begin(), kind.choices.end(), item) == kind.choices.end()) {
      throw ValueError(ErrorCode::kNotAChoice, op, name, joined(kind.choices), clipped(item));
    }
    return value.choice = item;
  }
  std::string operator()(const ScaleListParam& kind) const {
    return each(kind.max_count, [&](std::string_view item) {
      value.scales.push_back(parse_scale(op, std::string(item), kind.further));
      return value.scales.back().name;
    });
  }
  std::string operator()(const SeedParam&) const {
    const std::string_view item = trimmed(text);
    const std::optional<uint64_t> number = parse_unsigned(item);
    if (!number && !parse_integer(item)) {
      throw ValueError(ErrorCode::kNotANumber, op, name, "integer", clipped(item));
    }
    if (!number) {
      throw ValueError(ErrorCode::kOutOfRange, op, name, "0 .. 18446744073709551615", clipped(item));
    }
    value.seed = *number;
    return to_text(value.seed);
  }
  std::string operator()(const MatrixParam&) const {
    if (trimmed(text).empty()) return "";
    NumberArray array = read_csv(text, op, name);
    value.matrix = {array.shape[0], array.shape[1], std::move(array.values)};
    return matrix_text(*value.matrix);
  }
  std::string operator()(const TextParam& kind) const {
    check_bytes(kind.max_bytes, text.size());
    if (!is_utf8(text)) throw FormatError(ErrorCode::kUnsupported, op, name, "UTF-8", "other bytes");
    return value.words = text;
  }
  std::string operator()(const FileParam& kind) const {
    const std::string_view item = trimmed(text);
    const size_t padding = item.ends_with("==") ? 2 : item.ends_with('=') ? 1 : 0;
    const size_t count = item.size() / 4 * 3 - std::min(padding, item.size() / 4 * 3);
    check_bytes(kind.max_bytes, count);
    if (!is_base64(item, count)) {
      throw FormatError(ErrorCode::kUnsupported, op, name, "Base64", "other text");
    }
    value.file.resize(count);
    decode_base64(item, value.file.data(), count);
    return count == 0 ? "" : file_text(value.file);
  }

 private:
  void check_range(const auto& kind, double number, std::string_view item) const {
    if (number < kind.min || number > kind.max) {
      throw ValueError(ErrorCode::kOutOfRange, op, name, shortest(kind.min) + " .. " + shortest(kind.max),
                       clipped(item));
    }
  }
  int64_t integer(const auto& kind, std::string_view item) const {
    const std::optional<int64_t> number = parse_integer(item);
    if (!number) throw ValueError(ErrorCode::kNotANumber, op, name, "integer", clipped(item));
    check_range(kind, static_cast<double>(*number), item);
    return *number;
  }
  /// The canonical texts of the items between commas, read by read(item).
  std::string each(size_t max_count, const auto& read) const {
    if (trimmed(text).empty()) throw ValueError(ErrorCode::kEmpty, op, name, "at least 1 value", "");
    const std::vector<std::string_view> items = split(text, ',');
    if (items.size() > max_count) {
      throw ValueError(ErrorCode::kTooMany, op, name, to_text(max_count), to_text(items.size()));
    }
    std::string canonical;
    for (const std::string_view item : items) canonical += (canonical.empty() ? "" : ",") + read(item);
    return canonical;
  }
  void check_bytes(size_t max_bytes, size_t count) const {
    if (count > max_bytes) {
      throw ValueError(ErrorCode::kTooMany, op, name, to_text(max_bytes) + " bytes",
                       to_text(count) + " bytes");
    }
  }
};

Params Params::parse(std::string_view op, std::span<const Param> description,
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
    const bool as_it_is =
        std::holds_alternative<TextParam>(param.kind) || std::holds_alternative<FileParam>(param.kind);
    const std::string ascii = as_it_is ? "" : half_width(whole);
    const Reader reader{op, param.name, as_it_is ? whole : ascii, params.values_[param.name]};
    params.text_.emplace_back(param.name, std::visit(reader, param.kind));
  }
  return params;
}

int64_t Params::integer(const char* name) const { return values_.at(name).integers.at(0); }
const std::vector<int64_t>& Params::integers(const char* name) const { return values_.at(name).integers; }
double Params::real(const char* name) const { return values_.at(name).real; }
const std::string& Params::choice(const char* name) const { return values_.at(name).choice; }
const std::vector<Scale>& Params::scales(const char* name) const { return values_.at(name).scales; }
uint64_t Params::seed(const char* name) const { return values_.at(name).seed; }
const Matrix* Params::matrix(const char* name) const {
  const std::optional<Matrix>& matrix = values_.at(name).matrix;
  return matrix ? &*matrix : nullptr;
}
const std::string& Params::words(const char* name) const { return values_.at(name).words; }
std::span<const uint8_t> Params::file(const char* name) const { return values_.at(name).file; }

std::vector<int64_t> ascending(std::vector<int64_t> values) {
  heap_sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

void check_within(const char* op, const char* name, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return;
  throw ValueError(ErrorCode::kOutOfRange, op, name, to_text(low) + " .. " + to_text(high), to_text(value));
}

void check_heads(const char* op, int64_t d_model, int64_t n_heads) {
  if (d_model % n_heads == 0) return;
  throw ValueError(ErrorCode::kOutOfRange, op, "n_heads", "a divisor of d_model = " + to_text(d_model),
                   to_text(n_heads));
}

}  // namespace sqrtdk
