# libFuzzer's programs, build/fuzz/bin/fuzz_TARGET of each tests/fuzz/TARGET.cpp (scripts/fuzz). Needs clang.

# What computes decides by no bytes of a file: to follow each of its comparisons would take half of the time.
file(GLOB_RECURSE computing src/kernels/*.cpp src/layers/*.cpp tests/fuzz/attention.cpp tests/fuzz/matmul.cpp
  tests/fuzz/layers.cpp tests/fuzz/training.cpp)
set_source_files_properties(${computing} PROPERTIES COMPILE_OPTIONS -fno-sanitize-coverage=trace-cmp)

add_library(sqrtdk_fuzz STATIC tests/fuzz/fuzz.cpp)
target_include_directories(sqrtdk_fuzz PUBLIC tests)
target_include_directories(sqrtdk_fuzz SYSTEM PUBLIC "${CMAKE_BINARY_DIR}/include")
target_compile_definitions(sqrtdk_fuzz PUBLIC DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
target_link_libraries(sqrtdk_fuzz PUBLIC sqrtdk_core)
target_link_options(sqrtdk_fuzz PUBLIC -fsanitize=fuzzer)

add_custom_target(sqrtdk_fuzzers)
file(GLOB sources CONFIGURE_DEPENDS tests/fuzz/*.cpp)
list(FILTER sources EXCLUDE REGEX "/fuzz\\.cpp$")
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(fuzz_${name} ${source})
  target_link_libraries(fuzz_${name} PRIVATE sqrtdk_fuzz)
  add_dependencies(sqrtdk_fuzzers fuzz_${name})
endforeach()
