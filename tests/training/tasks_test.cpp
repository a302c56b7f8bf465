#include "training/tasks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/errors.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;

namespace {

struct Examples {
  int64_t n;
  std::vector<int32_t> source, answer;
};

Examples draw(const Task& task, int64_t first, int64_t n, uint64_t seed = 1, uint64_t stream = 2) {
  Examples examples{n, std::vector<int32_t>(static_cast<size_t>(n * task.n_source())),
                    std::vector<int32_t>(static_cast<size_t>(n * task.n_answer()))};
  task.sample(seed, stream, first, n, examples.source.data(), examples.answer.data());
  return examples;
}

using Tokens = std::vector<int32_t>;

Tokens part(const Tokens& all, int64_t size, int64_t i) {
  return {all.begin() + i * size, all.begin() + (i + 1) * size};
}

// answer(source) for examples of a task.
template <class Answer>
void check_answers(const TaskConfig& config, int64_t n_source, int64_t n_answer, Answer answer) {
  const std::unique_ptr<Task> task = make_task(config);
  REQUIRE(task->n_source() == n_source);
  REQUIRE(task->n_answer() == n_answer);
  const Examples examples = draw(*task, 0, 500);
  for (int64_t i = 0; i < examples.n; ++i) {
    const Tokens source = part(examples.source, n_source, i);
    for (const int32_t token : source) CHECK((token >= 0 && token < task->vocab()));
    CHECK(part(examples.answer, n_answer, i) == answer(source));
  }
}

// The share that the most frequent token of each place of the answer has.
double measured_chance(const Task& task, int64_t n) {
  const Examples examples = draw(task, 0, n, 9);
  double right = 0;
  for (int64_t place = 0; place < task.n_answer(); ++place) {
    std::map<int32_t, int> counts;
    for (int64_t i = 0; i < n; ++i)
      ++counts[examples.answer[static_cast<size_t>(i * task.n_answer() + place)]];
    int most = 0;
    for (const auto& [token, count] : counts) most = std::max(most, count);
    right += static_cast<double>(most) / static_cast<double>(n * task.n_answer());
  }
  return right;
}

}  // namespace

TEST_CASE("copy, reverse and sort arrange their source") {
  check_answers({"copy", 7, 5}, 7, 7, [](Tokens x) { return x; });
  check_answers({"reverse", 7, 5}, 7, 7, [](const Tokens& x) { return Tokens(x.rbegin(), x.rend()); });
  check_answers({"sort", 7, 5}, 7, 7, [](Tokens x) {
    for (size_t i = 1; i < x.size(); ++i) {
      for (size_t j = i; j > 0 && x[j - 1] > x[j]; --j) std::swap(x[j - 1], x[j]);
    }
    return x;
  });
}

TEST_CASE("recall asks for the value of one of its keys") {
  check_answers({"recall", 4, 9}, 9, 1, [](const Tokens& x) {
    Tokens found;
    for (size_t i = 0; i < 8; i += 2) {
      CHECK(x[i] < 9);
      CHECK(x[i + 1] >= 9);
      if (x[i] == x[8]) found.push_back(x[i + 1]);
    }
    return found;  // one, as keys differ
  });
  const std::unique_ptr<Task> task = make_task({"recall", 3, 3});
  std::set<Tokens> orders;
  const Examples examples = draw(*task, 0, 200);
  for (int64_t i = 0; i < 200; ++i) {
    const Tokens x = part(examples.source, 7, i);
    orders.insert({x[0], x[2], x[4]});
  }
  CHECK(orders.size() == 6);
  CHECK(task->text(2) == "k2");
  CHECK(task->text(3) == "v0");
}

TEST_CASE("modular addition adds") {
  check_answers({"modular_addition", 1, 23}, 3, 1, [](const Tokens& x) {
    CHECK(x[2] == 23);
    return Tokens{(x[0] + x[1]) % 23};
  });
  const std::unique_ptr<Task> task = make_task({"modular_addition", 1, 5});
  const Examples examples = draw(*task, 0, 1000);
  std::set<Tokens> sums;
  for (int64_t i = 0; i < 1000; ++i) sums.insert(part(examples.source, 3, i));
  CHECK(sums.size() == 25);
  CHECK(task->text(5) == "=");
  CHECK(task->text(4) == "4");
}

TEST_CASE("coreference: the last word says which noun it is") {
  const std::unique_ptr<Task> task = make_task({"coreference"});
  const Examples examples = draw(*task, 0, 400);
  const std::set<std::string> of_animals{"tired", "hungry", "afraid", "asleep"};
  std::set<std::string> animals, things, verbs, of_things;
  int first = 0;
  for (int64_t i = 0; i < 400; ++i) {
    const Tokens x = part(examples.source, 9, i);
    verbs.insert(task->text(x[2]));
    if (of_animals.count(task->text(x[8])) == 0) of_things.insert(task->text(x[8]));
    const int32_t noun = examples.answer[static_cast<size_t>(i)];
    CHECK((noun == x[1]) != (noun == x[4]));
    first += noun == x[1];
    (of_animals.count(task->text(x[8])) != 0 ? animals : things).insert(task->text(noun));
    CHECK(task->text(x[0]) + " " + task->text(x[5]) + " " + task->text(x[6]) == "the because it");
  }
  CHECK(animals == std::set<std::string>{"cat", "dog", "bird", "horse", "fox", "mouse", "child", "bear"});
  CHECK(things ==
        std::set<std::string>{"street", "river", "wall", "fence", "bridge", "field", "gate", "road"});
  CHECK(verbs == std::set<std::string>{"passed", "faced", "left", "noticed"});
  CHECK(of_things == std::set<std::string>{"wide", "flooded", "steep", "paved"});
  CHECK(first == doctest::Approx(200).epsilon(0.15));
  CHECK(task->chance() == 1 / 16.0);  // of 16 nouns, asked for equally often
}

TEST_CASE("dates are spelled in ten ways") {
  const std::unique_ptr<Task> task = make_task({"dates"});
  const Examples examples = draw(*task, 0, 6000);
  std::map<std::string, std::string> spellings;  // of a source, its answer
  for (int64_t i = 0; i < 6000; ++i) {
    std::string source, answer;
    for (const int32_t token : part(examples.source, task->n_source(), i)) source += task->text(token);
    for (const int32_t token : part(examples.answer, 10, i)) answer += task->text(token);
    source.erase(source.find_last_not_of(' ') + 1);
    spellings[source] = answer;
  }
  const std::vector<std::string> months{"",        "January",  "February", "March",  "April",
                                        "May",     "June",     "July",     "August", "September",
                                        "October", "November", "December"};
  const std::vector<std::string> digits{"〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"};
  const auto chinese = [&](int n) {
    return (n >= 20 ? digits[static_cast<size_t>(n / 10)] : "") + (n >= 10 ? "十" : "") +
           (n % 10 > 0 ? digits[static_cast<size_t>(n % 10)] : "");
  };
  std::map<int, int> found;
  for (const auto& pair : spellings) {
    const std::string &source = pair.first, &answer = pair.second;
    REQUIRE(answer.size() == 10);
    const std::string y = answer.substr(0, 4), mm = answer.substr(5, 2), dd = answer.substr(8);
    const int month = std::stoi(mm), day = std::stoi(dd), year = std::stoi(y);
    REQUIRE((year >= 1950 && year <= 2049 && month >= 1 && month <= 12 && day >= 1));
    const int days[] = {31, year % 4 == 0 ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    CHECK(day <= days[month - 1]);
    const std::string m = std::to_string(month), d = std::to_string(day);
    const std::string& name = months[static_cast<size_t>(month)];
    std::string low = name.substr(0, 3), up = low, year_in_chinese;
    for (char& c : low) c = static_cast<char>(std::tolower(c));
    for (char& c : up) c = static_cast<char>(std::toupper(c));
    for (const char c : y) year_in_chinese += digits[static_cast<size_t>(c - '0')];
    const std::string suffix = day == 1 || day == 21 || day == 31 ? "st"
                               : day == 2 || day == 22            ? "nd"
                               : day == 3 || day == 23            ? "rd"
                                                                  : "th";
    const std::vector<std::string> expected{
        d + " " + name + " " + y,
        name + " " + d + ", " + y,
        low + " " + d + " " + y,
        d + up + y,
        dd + "/" + mm + "/" + y,
        d + "." + m + "." + y,
        y + mm + dd,
        "the " + d + suffix + " of " + name + " " + y,
        y + "年" + m + "月" + d + "日",
        year_in_chinese + "年" + chinese(month) + "月" + chinese(day) + "日"};
    const auto spelling = std::find(expected.begin(), expected.end(), source);
    CAPTURE(source);
    CAPTURE(answer);
    CHECK(spelling != expected.end());
    ++found[static_cast<int>(spelling - expected.begin())];
  }
  CHECK(found.size() == 10);
  for (const auto& [spelling, count] : found) CHECK(count > 400);
}

TEST_CASE("characters of a text are followed by the next") {
  const TaskConfig config{"characters", 4, 0, "das 猫 sat"};
  const std::unique_ptr<Task> task = make_task(config);
  CHECK(task->vocab() == 6);  // space, a, d, s, t, 猫
  CHECK(task->continues());
  CHECK(task->chance() == doctest::Approx(2 / 9.0));
  CHECK(task->text(5) == "猫");
  const Examples examples = draw(*task, 0, 200);
  std::set<std::string> windows;
  for (int64_t i = 0; i < 200; ++i) {
    std::string window = task->text(examples.source[static_cast<size_t>(i)]);
    for (const int32_t token : part(examples.answer, 4, i)) window += task->text(token);
    windows.insert(window);
  }
  CHECK(windows == std::set<std::string>{"das 猫", "as 猫 ", "s 猫 s", " 猫 sa", "猫 sat"});
}

TEST_CASE("dates: the chance of the best ISO date that is written without looking, place by place") {
  // 1950 to 2049, with 25 leap years; of each month, the days have the same share.
  const double february = 0.75 / 28 + 0.25 / 29;
  const double tens = 10 * (7 / 31.0 + 4 / 30.0 + february) / 12;          // 1, of 10 to 19
  const double ones = (7 * 4 / 31.0 + 4 * 3 / 30.0 + 3 * february) / 12;   // 1, of 1, 11, 21 and 31
  const double year = 0.5 + 0.5 + 0.1 + 0.1, month = 9 / 12.0 + 2 / 12.0;  // 0, and 1 of 01 and 11
  const double hyphens = 2;
  CHECK(make_task({"dates"})->chance() ==
        doctest::Approx((year + hyphens + month + tens + ones) / 10).epsilon(1e-12));
}

TEST_CASE("the stated chance is that of the best answer which does not look") {
  for (const TaskConfig& config :
       {TaskConfig{"sort", 12, 16}, TaskConfig{"sort", 1, 4}, TaskConfig{"sort", 5, 2},
        TaskConfig{"copy", 3, 6}, TaskConfig{"reverse", 4, 5}, TaskConfig{"recall", 4, 8},
        TaskConfig{"modular_addition", 1, 7}}) {
    CAPTURE(config.name);
    const std::unique_ptr<Task> task = make_task(config);
    CHECK(task->chance() == doctest::Approx(measured_chance(*task, 20000)).epsilon(0.04));
    CHECK(task->ceiling() == 1);
  }
}

TEST_CASE("an example depends on seed, stream and number alone") {
  for (const std::string name : kTaskNames) {
    CAPTURE(name);
    const std::unique_ptr<Task> task = make_task({name, 4, 11, "a text of so many characters"});
    const Examples all = draw(*task, 0, 20);
    for (int64_t first : {0, 3, 13}) {
      const Examples some = draw(*task, first, 7);
      CHECK(
          std::equal(some.source.begin(), some.source.end(), all.source.begin() + first * task->n_source()));
      CHECK(
          std::equal(some.answer.begin(), some.answer.end(), all.answer.begin() + first * task->n_answer()));
    }
    CHECK(draw(*task, 0, 20, 2, 2).source != all.source);
    CHECK(draw(*task, 0, 20, 1, 3).source != all.source);
    CHECK(draw(*task, 20, 20).source != all.source);
  }
}

TEST_CASE("tokens are equally likely") {
  const std::unique_ptr<Task> task = make_task({"copy", 10, 16});
  const Examples examples = draw(*task, 0, 4000);
  std::map<int32_t, int> counts;
  for (const int32_t token : examples.source) ++counts[token];
  CHECK(counts.size() == 16);
  for (const auto& [token, count] : counts) CHECK(count == doctest::Approx(2500).epsilon(0.08));
}

TEST_CASE("examples far along a stream") {
  const std::unique_ptr<Task> task = make_task({"recall", 64, 256});
  constexpr int64_t kFar = int64_t{1} << 62;  // its draws are beyond 2^63
  const Examples one = draw(*task, kFar, 1), two = draw(*task, kFar - 1, 2);
  CHECK(std::equal(one.source.begin(), one.source.end(), two.source.begin() + task->n_source()));
}

TEST_CASE("examples beyond 2^32 are others than those at their beginning") {
  const std::unique_ptr<Task> task = make_task({"sort", 12, 16});
  constexpr int64_t kFar = int64_t{1} << 32;
  const Examples near = draw(*task, 0, 4), far = draw(*task, kFar, 4), across = draw(*task, kFar - 2, 6);
  CHECK(near.source != far.source);
  CHECK(std::equal(far.source.begin(), far.source.end(), across.source.begin() + 2 * task->n_source()));
}

TEST_CASE("tasks refuse names and numbers that are none") {
  const auto refused = [](const TaskConfig& config, const char* argument) {
    const ValueError error = thrown_by<ValueError>([&] { make_task(config); });
    CHECK(error.argument == argument);
  };
  refused({"sorting", 4, 4}, "task");
  for (const char* name : {"sort", "copy", "reverse", "recall"}) {
    refused({name, 0, 4}, "length");
    refused({name, Task::kMaxLength + 1, 256}, "length");
    refused({name, 4, 1}, "symbols");
    refused({name, 4, Task::kMaxSymbols + 1}, "symbols");
  }
  refused({"modular_addition", 1, 1}, "symbols");
  refused({"characters", 0, 4, "text"}, "length");
  refused({"characters", Task::kMaxLength + 1, 4, std::string(400, 'a')}, "length");
  refused({"characters", 4, 4, "text"}, "text");
  refused({"characters", 1, 4, "te\xFF"}, "text");
  refused({"recall", 5, 4}, "length");
  for (const std::string name : kTaskNames) {
    draw(*make_task({name, Task::kMaxLength, 256, std::string(Task::kMaxLength + 1, 'a')}), 0, 3);
  }
}

TEST_CASE("a token that is none of the task's, as a model's separator, is written as ?") {
  for (const std::string name : kTaskNames) {
    const std::unique_ptr<Task> task = make_task({name, 4, 5, "a text"});
    CHECK(task->text(static_cast<int32_t>(task->vocab() - 1)) != "?");
    CHECK(task->text(static_cast<int32_t>(task->vocab())) == "?");
    CHECK(task->text(-1) == "?");
  }
}
