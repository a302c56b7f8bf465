// The ends of libFuzzer and of doctest for every target. https://llvm.org/docs/LibFuzzer.html
#define DOCTEST_CONFIG_IMPLEMENT
#include "fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  static doctest::Context context;
  context.setAsDefaultForAssertsOutOfTestCases();
  context.setAssertHandler([](const doctest::AssertData& assertion) {
    std::fprintf(stderr, "%s:%d: %s\n%s\n", assertion.m_file, assertion.m_line, assertion.m_expr,
                 assertion.m_decomp.c_str());
    std::abort();
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sqrtdk::fuzz::run({data, size});
  return 0;
}
