// Does the largest weight really run away when nobody divides?
//
// The experiment article_snippet of sqrtdk with these settings, every number with all its digits. In the
// project's folder:
//
//   cmake --preset native && cmake --build --preset native --target sqrtdk_core
//   c++ -std=c++20 -I src article_snippet.cpp build/native/libsqrtdk_core.a -o article_snippet
//   ./article_snippet
#include <cmath>
#include <cstdio>
#include <exception>

#include "lab/experiment.h"

int main() try {
  const sqrtdk::Run run = sqrtdk::run_experiment("article_snippet", {
      {"d", "32,128,512"},
      {"seed", "0"},
  });
  for (const std::string& line : run.result.lines) std::printf("%s\n", line.c_str());
  for (const sqrtdk::Scalar& scalar : run.result.scalars) {
    std::printf("%s", scalar.name.c_str());
    for (const auto& [name, value] : scalar.at) std::printf(" %s=%s", name.c_str(), value.c_str());
    std::printf(" = %.17g", scalar.value);
    if (!std::isnan(scalar.se)) std::printf(" ± %.17g", scalar.se);
    std::printf("\n");
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
