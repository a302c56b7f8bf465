#include <algorithm>
#include <array>

#include "base/decimal.h"
#include "base/utf8.h"
#include "training/tasks.h"

namespace sqrtdk::tasks {
namespace {

constexpr int64_t kFirstYear = 1950, kYears = 100, kSpellings = 10;
constexpr size_t kMaxSourceLength = 26;  // "the 22nd of September 2022"
constexpr const char* kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                   "July",    "August",   "September", "October", "November", "December"};

struct Date {
  int64_t year, month, day;
};

int64_t days_of(int64_t year, int64_t month) {
  if (month == 2) return year % 4 == 0 ? 29 : 28;  // right from 1901 to 2099
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

std::string two_digits(int64_t n) {
  const std::string digits = to_text(n);
  return n < 10 ? '0' + digits : digits;
}

std::string iso(const Date& date) {
  return to_text(date.year) + "-" + two_digits(date.month) + "-" + two_digits(date.day);
}

std::string changed(std::string text, int (*change)(int)) {
  for (char& c : text) c = static_cast<char>(change(c));
  return text;
}
int lower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
int upper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }

const char* ordinal(int64_t day) {
  if (day / 10 == 1) return "th";
  return day % 10 == 1 ? "st" : day % 10 == 2 ? "nd" : day % 10 == 3 ? "rd" : "th";
}

constexpr const char* kChineseDigits[] = {"〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"};

std::string chinese_year(int64_t year) {
  std::string text;
  for (const char digit : to_text(year)) text += kChineseDigits[digit - '0'];
  return text;
}

// 1 to 31: 三, 十, 十二, 二十, 三十一
std::string chinese(int64_t n) {
  std::string text;
  if (n >= 20) text += kChineseDigits[n / 10];
  if (n >= 10) text += "十";
  if (n % 10 != 0) text += kChineseDigits[n % 10];
  return text;
}

std::string spell(const Date& date, int64_t spelling) {
  const std::string year = to_text(date.year), day = to_text(date.day);
  const std::string month = to_text(date.month), name = kMonths[date.month - 1];
  const std::string brief = name.substr(0, 3);
  switch (spelling) {
    case 0:
      return day + " " + name + " " + year;
    case 1:
      return name + " " + day + ", " + year;
    case 2:
      return changed(brief, lower) + " " + day + " " + year;
    case 3:
      return day + changed(brief, upper) + year;
    case 4:
      return two_digits(date.day) + "/" + two_digits(date.month) + "/" + year;
    case 5:
      return day + "." + month + "." + year;
    case 6:
      return year + two_digits(date.month) + two_digits(date.day);
    case 7:
      return "the " + day + ordinal(date.day) + " of " + name + " " + year;
    case 8:
      return year + "年" + month + "月" + day + "日";
    default:
      return chinese_year(date.year) + "年" + chinese(date.month) + "月" + chinese(date.day) + "日";
  }
}

// Token 0 is the space, which also fills the end of a source.
constexpr const char* kCharacters =
    " 0123456789-/.,ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz年月日〇一二三四五六七八九十";

std::u32string characters_of(std::string_view text) {
  std::u32string all;
  for (size_t at = 0; at < text.size();) all += decode_utf8(text, at);
  return all;
}

class Dates : public Task {
 public:
  Dates() : Task({static_cast<int64_t>(characters_of(kCharacters).size()), kMaxSourceLength, 10, 4}) {}

  double chance() const override {
    std::array<std::array<double, 128>, 10> shares{};
    for (Date date{kFirstYear, 1, 1}; date.year < kFirstYear + kYears; ++date.year) {
      for (date.month = 1; date.month <= 12; ++date.month) {
        const int64_t days = days_of(date.year, date.month);
        for (date.day = 1; date.day <= days; ++date.day) {
          const std::string text = iso(date);
          for (size_t i = 0; i < text.size(); ++i) {
            shares[i][static_cast<size_t>(text[i])] += 1 / static_cast<double>(kYears * 12 * days);
          }
        }
      }
    }
    double right = 0;
    for (const auto& place : shares) right += *std::max_element(place.begin(), place.end()) / 10;
    return right;
  }

 protected:
  std::string written(int32_t token) const override {
    std::string text;
    append_utf8(text, characters_[static_cast<size_t>(token)]);
    return text;
  }
  void make(ExampleDraws draws, int32_t* source, int32_t* answer) const override {
    const int64_t spelling = draws.below(kSpellings);
    Date date{kFirstYear + draws.below(kYears), 1 + draws.below(12), 1};
    date.day += draws.below(days_of(date.year, date.month));
    std::fill_n(source, kMaxSourceLength, 0);
    write(spell(date, spelling), source);
    write(iso(date), answer);
  }

 private:
  void write(const std::string& text, int32_t* tokens) const {
    for (const char32_t c : characters_of(text)) *tokens++ = static_cast<int32_t>(characters_.find(c));
  }
  std::u32string characters_ = characters_of(kCharacters);
};

}  // namespace

std::unique_ptr<Task> dates(const TaskConfig&) { return std::make_unique<Dates>(); }

}  // namespace sqrtdk::tasks
