# What everything is compiled and linked with, by name.

# Bit-identical results everywhere need that fused multiply-add and fast-math are disabled.
add_library(sqrtdk_bits INTERFACE)
target_compile_options(sqrtdk_bits INTERFACE -ffp-contract=off)

add_library(sqrtdk_warnings INTERFACE)
target_compile_options(sqrtdk_warnings INTERFACE -Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(sqrtdk_warnings INTERFACE -Wno-restrict)  # false alarms in std::string: GCC bug 105651
endif()

# In the library and the command no number changes its type unseen.
add_library(sqrtdk_conversion_warnings INTERFACE)
target_compile_options(sqrtdk_conversion_warnings INTERFACE -Wconversion
  $<$<CXX_COMPILER_ID:Clang>:-Wsign-conversion>)  # GCC's counts indices of arrays, too

# sqrtdk_precompiled(TARGET HEADER...): what many of the target's sources include is parsed once. Not with ccache, for which
# a precompiled header is different each time.
function(sqrtdk_precompiled target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT DEFINED ENV{EM_COMPILER_WRAPPER})
    target_precompile_headers(${target} PRIVATE
      <algorithm> <cmath> <functional> <map> <optional> <span> <string> <variant> <vector> ${ARGN})
  endif()
endfunction()
