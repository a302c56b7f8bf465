#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#ifdef __EMSCRIPTEN__
// The quarter of a GB of freed memory that AddressSanitizer holds back elsewhere is too much where there are
// 2 GB.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name that AddressSanitizer looks for
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=16"; }
#endif
