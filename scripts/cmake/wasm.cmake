# WebAssembly: how it is compiled and linked, and the modules.

# With WebAssembly's own exceptions LLVM 14 takes AddressSanitizer's calls before a rethrow for unreachable code: for that
# there are Emscripten's.
set(SQRTDK_EXCEPTIONS -fwasm-exceptions CACHE STRING "how exceptions are compiled")
add_library(sqrtdk_wasm_common INTERFACE)
target_compile_options(sqrtdk_wasm_common INTERFACE -msimd128 ${SQRTDK_EXCEPTIONS})
target_link_options(sqrtdk_wasm_common INTERFACE ${SQRTDK_EXCEPTIONS} -flto
  "SHELL:-Wl,-mllvm,-vectorize-loops=false -Wl,-mllvm,-vectorize-slp=false"
  "SHELL:-Wl,-mllvm,-unroll-runtime=0 -Wl,-mllvm,-unroll-allow-partial=0 -Wl,-mllvm,-inlinedefault-threshold=5")

# Three ways to compile a source file. What a reader downloads is small, but for the loops over data. (-Os for all and
# another level after it for the loops, or -Os when linking, would make them two to twenty times slower.)
set(sqrtdk_wasm_small "-Oz -flto -fno-rtti -DEMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0")
# The loops are written with vectors, and unrolled where that pays: what else the compiler would do is size.
set(sqrtdk_wasm_products
  "-fno-vectorize -fno-slp-vectorize -mllvm -unroll-runtime=0 -mllvm -unroll-allow-partial=0 -mllvm -inline-threshold=0")
set(sqrtdk_wasm_loops "${sqrtdk_wasm_products} -flto")

# sqrtdk_compile_wasm(SOURCE...): gives each source its way.
function(sqrtdk_compile_wasm)
  file(GLOB loops src/simd/*.cpp src/kernels/*.cpp src/kernels/*/*.cpp src/tensor/random.cpp
    src/tensor/torch_generator.cpp src/training/optimizer.cpp src/training/gradients.cpp src/lab/sampling.cpp
    src/experiments/similarity_measures/similarity_scores.cpp src/lab/statistics.cpp)
  list(FILTER loops EXCLUDE REGEX
    "/(masking|scale|attention|cosine_attention|dropout|arithmetic|fill|rearrange|reduce)\\.cpp$")
  # Optimized together with others, these would be a third slower in Firefox.
  file(GLOB products src/kernels/product/matmul.cpp src/kernels/product/packing.cpp
    src/kernels/product/weights.cpp src/kernels/attention/tiled_attention*.cpp)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_FLAGS "${sqrtdk_wasm_small}")
  set_source_files_properties(${loops} PROPERTIES COMPILE_FLAGS "${sqrtdk_wasm_loops}")
  set_source_files_properties(${products} PROPERTIES COMPILE_FLAGS "${sqrtdk_wasm_products}")
endfunction()

# Emscripten's script beside a module is not used (bindings/api/module.ts starts it), nor what it would define; imports and
# exports keep their names.
add_library(sqrtdk_wasm_module INTERFACE)
target_link_options(sqrtdk_wasm_module INTERFACE
  -O3 -sBINARYEN_EXTRA_PASSES=-O3 -sDECLARE_ASM_MODULE_EXPORTS=0 -sERROR_ON_UNDEFINED_SYMBOLS=0
  -sWARN_ON_UNDEFINED_SYMBOLS=0 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2GB -sENVIRONMENT=web -sMALLOC=emmalloc
  -sFILESYSTEM=0 -sWASM_BIGINT
  -sTOTAL_STACK=1MB)  # the name that 3.1.6 knows; upstream's default is 64 kB

# A program for Node.
add_library(sqrtdk_wasm_program INTERFACE)
target_link_options(sqrtdk_wasm_program INTERFACE -sSINGLE_FILE=1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1
  -sENVIRONMENT=node)

# Where the linker's addresses are drawn by chance, so is the order of some of what it writes: two links would differ. In a
# sandbox this may be forbidden.
execute_process(COMMAND setarch -R true RESULT_VARIABLE no_fixed_addresses OUTPUT_QUIET ERROR_QUIET)

# sqrtdk_wasm_module(NAME TABLE...): build/wasm/NAME.wasm with the operators of these tables
# (bindings/embind/TABLE_operators.cpp), by default of all.
function(sqrtdk_wasm_module name)
  add_executable(sqrtdk_${name} bindings/embind/bindings.cpp bindings/embind/runtime.cpp)
  target_link_libraries(sqrtdk_${name} PRIVATE sqrtdk_wasm_module sqrtdk_border sqrtdk_core)
  set_target_properties(sqrtdk_${name} PROPERTIES OUTPUT_NAME ${name})
  if(ARGN)
    list(TRANSFORM ARGN APPEND _operators)
    list(JOIN ARGN "," tables)
    target_compile_definitions(sqrtdk_${name} PRIVATE "SQRTDK_TABLES=${tables}")
  endif()
  if(no_fixed_addresses STREQUAL "0")
    set_target_properties(sqrtdk_${name} PROPERTIES CXX_LINKER_LAUNCHER "setarch;-R")
  endif()
  # Products in pairs: 5 % faster. Like functions side by side, their locals with like numbers, nothing of alignments:
  # what brotli makes of the module is 4 to 6 % smaller.
  set(scripts ${CMAKE_SOURCE_DIR}/scripts)
  set_target_properties(sqrtdk_${name} PROPERTIES LINK_DEPENDS
    "${scripts}/arrange_modules.mjs;${scripts}/lib/alignments.mjs;${scripts}/lib/function_order.mjs;${scripts}/lib/local_numbers.mjs;${scripts}/lib/paired_products.mjs;${scripts}/lib/wasm_code.mjs")
  add_custom_command(TARGET sqrtdk_${name} POST_BUILD VERBATIM
    COMMAND node ${scripts}/arrange_modules.mjs $<TARGET_FILE_DIR:sqrtdk_${name}>/${name}.wasm)
  add_dependencies(sqrtdk_wasm sqrtdk_${name})
endfunction()

# sqrtdk_without_experiments(NAME OF): the module holds no experiments of the module OF (src/experiments/experiments.inc).
function(sqrtdk_without_experiments name of)
  string(TOUPPER ${of} of)
  target_sources(sqrtdk_${name} PRIVATE src/experiments/registry.cpp)
  target_compile_definitions(sqrtdk_${name} PRIVATE SQRTDK_WITHOUT_${of})
endfunction()

# sqrtdk_with_threads(NAME): the module shares its memory, which it is given, with the workers that take part in its loops
# (src/base/parallel.h). Only what knows of threads is compiled again: all else is as good for a shared memory, and the
# linker need not check that it was meant for one.
function(sqrtdk_with_threads name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${core_sources})  # which may begin to know of them
  set(sources "")
  foreach(source ${core_sources})
    file(STRINGS ${source} known REGEX "#include \"base/(parallel|threads)\\.h\"")
    if(known)
      list(APPEND sources ${source})
    endif()
  endforeach()
  set_source_files_properties(src/base/threads.cpp PROPERTIES COMPILE_FLAGS "-matomics -mbulk-memory")
  target_sources(sqrtdk_${name} PRIVATE ${sources})
  target_compile_definitions(sqrtdk_${name} PRIVATE SQRTDK_THREADS)
  set_target_properties(sqrtdk_${name} PROPERTIES SQRTDK_THREADS ON)
  target_link_options(sqrtdk_${name} PRIVATE -sIMPORTED_MEMORY=1 -Wl,--shared-memory -Wl,--no-check-features)
endfunction()

# full, threads (the same with shared memory), nn and ops are for the package; first and experiments, for the page and the
# elements, have experiments alone, the latter with trainers.
function(sqrtdk_wasm_modules)
  file(GLOB border CONFIGURE_DEPENDS bindings/embind/*.cpp)
  sqrtdk_compile_wasm(${border})
  set_source_files_properties(bindings/embind/runtime.cpp PROPERTIES COMPILE_FLAGS "-Oz -mbulk-memory")
  list(FILTER border EXCLUDE REGEX "/(bindings|runtime)\\.cpp$")
  add_library(sqrtdk_border STATIC ${border})  # of which a module links what its tables need
  target_include_directories(sqrtdk_border PUBLIC bindings/embind)
  target_link_libraries(sqrtdk_border PUBLIC sqrtdk_core)

  add_custom_target(sqrtdk_wasm)
  set(ops attention matrix row tensor)
  sqrtdk_wasm_module(full)
  sqrtdk_wasm_module(threads)
  sqrtdk_with_threads(threads)
  sqrtdk_wasm_module(nn ${ops} file safetensors object layer checkpoint model)
  sqrtdk_wasm_module(ops ${ops})
  sqrtdk_wasm_module(first experiment file)
  sqrtdk_without_experiments(first experiments)
  sqrtdk_wasm_module(experiments experiment file object trainer race)
  sqrtdk_without_experiments(experiments first)
endfunction()
