# SPDX-License-Identifier: MIT
# The options with which every file of this tree is compiled. They do not apply to users of the libraries.

add_compile_options(-Wall -Wextra -Woverloaded-virtual -Wimplicit-fallthrough)
# Members that `{.head_timeout = 5s}` leaves out have their defaults, as intended for option aggregates.
add_compile_options(-Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wshadow -Wdangling -Wthread-safety)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of g++ 14 at -O2: for what lies in the frame of a coroutine, and for the value of std::optional.
  add_compile_options(-Wno-maybe-uninitialized)
endif()
if(VOLT_FAST_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-subobject-linkage)  # g++ treats files that are compiled as one like headers
endif()
if(VOLT_WERROR)
  add_compile_options(-Werror)
endif()
add_compile_options(-fno-omit-frame-pointer)
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)  # __FILE__ is relative: runtime/...

if(VOLT_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "VOLT_SANITIZE needs clang: with a sanitizer, g++ makes no transfer between coroutines a tail "
                        "call, so that the stack overflows. Add -DCMAKE_CXX_COMPILER=clang++-19.")
  endif()
  add_compile_options(-fsanitize=${VOLT_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${VOLT_SANITIZE})
endif()

include(CheckLinkerFlag)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  check_linker_flag(CXX -fuse-ld=lld VOLT_HAS_LLD)
  if(VOLT_HAS_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

if(VOLT_FUZZERS)  # the libraries are instrumented for the fuzz targets
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
endif()

# volt_compile_quickly(<target> [OPTIMIZED] [REUSE_FROM <other> | HEADERS <header>...]): compiles tests faster: without
# optimization, and with precompiled headers, which are the standard ones and the given ones, or those of another target
# of the same options. OPTIMIZED is for tests of code in headers that many threads run at once, such as the queues of the
# scheduler: a Release build optimizes them, so that the compiler may reorder what it can.
function(volt_compile_quickly target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMIZED" "REUSE_FROM" "HEADERS")
  if(arg_REUSE_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_REUSE_FROM})
  else()
    target_precompile_headers(
      ${target} PRIVATE <algorithm> <array> <chrono> <coroutine> <cstdint> <cstring> <expected> <functional> <map>
      <memory> <mutex> <optional> <span> <stdexcept> <string> <string_view> <system_error> <tuple> <utility> <variant>
      <vector> ${arg_HEADERS})
  endif()
  if(arg_OPTIMIZED)
    target_compile_options(${target} PRIVATE $<IF:$<CONFIG:Release>,-O1,-O0>)
  else()
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()
