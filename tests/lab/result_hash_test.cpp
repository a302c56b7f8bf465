#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "lab/small_result.h"

namespace sqrtdk {
namespace {

using test::small_result;

TEST_CASE("hash: every name and every bit of every number counts") {
  const std::string whole = result_hash(small_result());
  CHECK(whole.size() == 16);
  CHECK(whole == result_hash(small_result()));
  const auto change = [](double& x) { x = std::nextafter(x, 10.0); };
  const std::function<void(Result&)> changes[] = {
      [](Result& r) { r.lines[0] += " "; },
      [](Result& r) { r.lines.push_back(""); },
      [](Result& r) { r.scalars[0].name = "other"; },
      [](Result& r) { r.scalars[0].at[1].value = "1/d"; },
      [](Result& r) { r.scalars[0].at[0].name = "n"; },
      [&](Result& r) { change(r.scalars[0].value); },
      [&](Result& r) { change(r.scalars[0].se); },
      [&](Result& r) { change(r.scalars[0].expected); },
      [&](Result& r) { change(r.scalars[0].std); },
      [&](Result& r) { change(r.scalars[0].p10); },
      [&](Result& r) { change(r.scalars[0].p50); },
      [&](Result& r) { change(r.scalars[0].p90); },
      [](Result& r) { r.scalars.pop_back(); },
      [](Result& r) { r.figures[0].name = "other"; },
      [](Result& r) { r.figures[0].at.clear(); },
      [](Result& r) { r.figures[0].kind = LineChart{}; },
      [](Result& r) { r.figures[0].x = "other"; },
      [](Result& r) { r.figures[0].y = "other"; },
      [](Result& r) { r.figures[0].log_x = true; },
      [](Result& r) { r.figures[0].log_y = true; },
      [](Result& r) { r.figures[0].y_max = kNone; },
      [](Result& r) { r.figures[0].series[0].name = "other"; },
      [](Result& r) { r.figures[0].series[0].role = Role::kOther; },
      [&](Result& r) { change(r.figures[0].series[0].x[1]); },
      [&](Result& r) { change(r.figures[0].series[0].y[0]); },
      [&](Result& r) { change(r.figures[0].series[0].y_se[1]); },
      [](Result& r) { std::swap(r.figures[0].series[0].x[0], r.figures[0].series[0].x[1]); },
      [](Result& r) { r.figures[0].series[0].y[0] *= -1; },
      [&](Result& r) { change(r.figures[0].series[1].low[0]); },
      [&](Result& r) { change(r.figures[0].series[1].high[0]); },
      [](Result& r) { std::swap(r.figures[0].series[1].low, r.figures[0].series[1].high); },
      [](Result& r) { r.figures[0].series[1].low.clear(), r.figures[0].series[1].high.clear(); },
      [](Result& r) { std::get<HeatMap>(r.figures[1].kind).z = "other"; },
      [](Result& r) { std::swap(r.figures[1].grid().n_rows, r.figures[1].grid().n_cols); },
      [](Result& r) { r.figures[1].grid().rows[0] += "x"; },
      [](Result& r) { r.figures[1].grid().cols[1] += "x"; },
      [](Result& r) { std::swap(r.figures[1].grid().rows, r.figures[1].grid().cols); },
      [&](Result& r) { change(r.figures[1].grid().values[0]); },
      [](Result& r) { r.figures[1].grid().values[1] = 0; },
      [](Result& r) { std::swap(r.figures[1].grid().values[0], r.figures[1].grid().values[1]); },
      [](Result& r) { r.holds = Holds::kYes; },
      [](Result& r) { r.holds = Holds::kCannotBeJudged; },
      [](Result& r) { r.verdict = ""; },
  };
  std::vector<std::string> seen = {whole};
  for (const auto& each : changes) {
    Result result = small_result();
    each(result);
    const std::string hash = result_hash(result);
    for (const std::string& other : seen) CHECK(hash != other);
    seen.push_back(hash);
  }
}

TEST_CASE("hash: NaNs are one, zeros are two") {
  Result result = small_result();
  const std::string before = result_hash(result);
  result.scalars[1].value = -kNone;
  CHECK(result_hash(result) == before);
  result.scalars[1].value = 0;
  const std::string zero = result_hash(result);
  result.scalars[1].value = -0.0;
  CHECK(result_hash(result) != zero);
}

}  // namespace
}  // namespace sqrtdk
