#include <algorithm>
#include <cmath>
#include <optional>

#include "base/decimal.h"
#include "base/errors.h"
#include "formats/read_numbers.h"

namespace sqrtdk {
namespace {

constexpr size_t kMaxTokenLength = 40;

std::string at(size_t row, size_t column) {
  return " in row " + to_text(row) + ", column " + to_text(column);
}

struct Number {
  float value;
  bool finite;
};

// A decimal number, or nan, inf, infinity in any case; anything else is no number.
std::optional<Number> parse_number(std::string_view token) {
  std::string name(token.substr(token.find_first_of("+-") == 0 ? 1 : 0, 9));
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (name == "nan" || name == "inf" || name == "infinity") return Number{NAN, false};
  const std::optional<float> value = parse_float(token);
  if (!value) return std::nullopt;
  return Number{*value, std::isfinite(*value)};
}

class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view op, std::string_view argument)
      : rest_(text), op_(op), argument_(argument) {
    if (rest_.substr(0, 3) == "\xEF\xBB\xBF") rest_.remove_prefix(3);  // UTF-8's byte-order mark
  }

  NumberArray read() {
    bool first = true;
    std::vector<std::string_view> fields, header;
    while (!rest_.empty()) {
      split(next_row(), fields);
      if (fields.empty()) continue;
      const bool is_header = first && std::none_of(fields.begin(), fields.end(), parse_number);
      first = false;
      if (is_header) {
        header = fields;
      } else {
        append(fields);
      }
    }
    if (rows_ == 0 && !header.empty()) append(header);  // no header after all: says what is no number
    if (rows_ == 0) throw FormatError(ErrorCode::kEmpty, op_, argument_, "at least 1 number", "");
    return {{static_cast<int64_t>(rows_), static_cast<int64_t>(columns_)}, std::move(values_)};
  }

 private:
  std::string_view next_row() {
    const size_t end = std::min(rest_.find_first_of(";\n\r#"), rest_.size());
    const std::string_view row = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (!rest_.empty() && rest_[0] == '#') {
      rest_.remove_prefix(std::min(rest_.find_first_of("\n\r"), rest_.size()));
    }
    if (!rest_.empty()) rest_.remove_prefix(1);
    return row;
  }

  // One comma, with blanks or tabs around it, or blanks and tabs alone, separate two fields.
  static void split(std::string_view row, std::vector<std::string_view>& fields) {
    fields.clear();
    const auto skip_blanks = [&row] {
      row.remove_prefix(std::min(row.find_first_not_of(" \t"), row.size()));
    };
    skip_blanks();
    while (!row.empty()) {
      const size_t end = std::min(row.find_first_of(", \t"), row.size());
      fields.push_back(row.substr(0, end));
      row.remove_prefix(end);
      skip_blanks();
      if (row.empty() || row[0] != ',') continue;
      row.remove_prefix(1);
      skip_blanks();
      if (row.empty()) fields.push_back(row);  // nothing after the last comma
    }
  }

  void append(const std::vector<std::string_view>& fields) {
    ++rows_;
    for (size_t column = 1; column <= fields.size(); ++column) {
      const std::string_view field = fields[column - 1];
      const std::optional<Number> number = parse_number(field);
      const std::string got = std::string(field.substr(0, kMaxTokenLength)) + at(rows_, column);
      if (!number) {
        throw FormatError(ErrorCode::kNotANumber, op_, argument_, "number",
                          field.empty() ? "nothing" + got : got);
      }
      if (!number->finite) throw FormatError(ErrorCode::kNotFinite, op_, argument_, "finite numbers", got);
      values_.push_back(number->value);
    }
    if (rows_ == 1) columns_ = fields.size();
    if (fields.size() != columns_) {
      throw FormatError(ErrorCode::kWrongShape, op_, argument_, "(rows, " + to_text(columns_) + ")",
                        to_text(fields.size()) + " columns in row " + to_text(rows_));
    }
  }

  std::string_view rest_;
  std::string_view op_;
  std::string_view argument_;
  size_t rows_ = 0, columns_ = 0;
  std::vector<float> values_;
};

}  // namespace

NumberArray read_csv(std::string_view text, std::string_view op, std::string_view argument) {
  return CsvReader(text, op, argument).read();
}

}  // namespace sqrtdk
