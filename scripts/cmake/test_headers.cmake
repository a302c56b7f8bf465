# The headers of doctest and nlohmann/json, for tests alone.

# sqrtdk_header(VARIABLE HEADER PART): copies PART of where HEADER is found into the build tree, because find_package fails
# under Emscripten and a whole include folder would bring the host's headers.
function(sqrtdk_header variable header part)
  find_path(${variable} ${header} HINTS "${SQRTDK_DEPS}" /usr/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  file(COPY "${${variable}}/${part}" DESTINATION "${CMAKE_BINARY_DIR}/include")
endfunction()
sqrtdk_header(DOCTEST_INCLUDE doctest/doctest.h doctest)
sqrtdk_header(NLOHMANN_INCLUDE nlohmann/json.hpp nlohmann)
