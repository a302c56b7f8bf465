// The ends of libFuzzer and of doctest for every target. https://llvm.org/docs/LibFuzzer.html
#define DOCTEST_CONFIG_IMPLEMENT
#include "fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>

// A stack of 30 frames for each allocation would take as long as what is tested, and so would the pages of a
// quarantine of 256 MB; a run frees some kB.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name that AddressSanitizer looks for
extern "C" const char* __asan_default_options() { return "malloc_context_size=4:quarantine_size_mb=4"; }

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
