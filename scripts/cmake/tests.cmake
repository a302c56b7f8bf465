# The doctest programs: sqrtdk_tests, sqrtdk_conformance and, natively, sqrtdk_accuracy.

# sqrtdk_test_program(NAME SOURCE...)
function(sqrtdk_test_program name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE tests)
  target_include_directories(${name} SYSTEM PRIVATE "${CMAKE_BINARY_DIR}/include")
  target_link_libraries(${name} PRIVATE sqrtdk_core)
  # Two thirds of what is compiled are tests: with calls for assertions and without what -O3 adds they take half the time.
  target_compile_definitions(${name} PRIVATE DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
  target_compile_options(${name} PRIVATE -O1)
  if(EMSCRIPTEN)
    target_link_libraries(${name} PRIVATE sqrtdk_wasm_program)
    set_target_properties(${name} PROPERTIES SUFFIX .cjs)  # package.json says that .js are modules
  endif()
endfunction()

file(GLOB_RECURSE sources CONFIGURE_DEPENDS tests/*_test.cpp tests/doctest_main.cpp)
list(FILTER sources EXCLUDE REGEX "/tests/kernels/threads_test\\.cpp$")
sqrtdk_test_program(sqrtdk_tests ${sources})
sqrtdk_precompiled(sqrtdk_tests <doctest/doctest.h>)
set_source_files_properties(tests/doctest_main.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)  # it implements doctest
enable_testing()
if(EMSCRIPTEN)
  add_test(NAME sqrtdk_tests COMMAND node $<TARGET_FILE:sqrtdk_tests>)
else()
  add_test(NAME sqrtdk_tests COMMAND sqrtdk_tests)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")  # tests/reference/allocations.h counts what Storage holds
  target_link_options(sqrtdk_tests PRIVATE -Wl,--wrap=posix_memalign,--wrap=free)
  set_source_files_properties(tests/reference/allocations_test.cpp PROPERTIES COMPILE_DEFINITIONS SQRTDK_WRAPPED)
endif()

# The golden layers and trainings alone: scripts/determinism.
file(GLOB sources CONFIGURE_DEPENDS tests/golden/*_test.cpp)
sqrtdk_test_program(sqrtdk_golden_tests ${sources} tests/doctest_main.cpp)
set_target_properties(sqrtdk_golden_tests PROPERTIES EXCLUDE_FROM_ALL ON)

# Runs folders of cases that others computed: tests/conformance.
file(GLOB sources CONFIGURE_DEPENDS tests/conformance/*.cpp)
sqrtdk_test_program(sqrtdk_conformance ${sources})
sqrtdk_precompiled(sqrtdk_conformance <nlohmann/json.hpp>)
if(EMSCRIPTEN)
  target_link_options(sqrtdk_conformance PRIVATE -sNODERAWFS=1)
else()
  # What several threads compute, with the sanitizer that sees their races: of the library, the rooms up to kernels.
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/simd/*.cpp src/base/*.cpp src/tensor/*.cpp src/kernels/*.cpp)
  find_package(Threads REQUIRED)
  add_executable(sqrtdk_threads_tests EXCLUDE_FROM_ALL ${sources}
    tests/base/parallel_test.cpp tests/kernels/threads_test.cpp tests/doctest_main.cpp)
  target_include_directories(sqrtdk_threads_tests PRIVATE src tests)
  target_include_directories(sqrtdk_threads_tests SYSTEM PRIVATE "${SIMDE_INCLUDE}" "${CMAKE_BINARY_DIR}/include")
  target_compile_definitions(sqrtdk_threads_tests PRIVATE SQRTDK_THREADS)
  target_compile_options(sqrtdk_threads_tests PRIVATE -O1 -g1 -fsanitize=thread)
  target_link_libraries(sqrtdk_threads_tests PRIVATE Threads::Threads -fsanitize=thread)

  sqrtdk_test_program(sqrtdk_accuracy tests/accuracy/accuracy.cpp)
  target_compile_options(sqrtdk_accuracy PRIVATE -O3)  # it goes through all floats
endif()
