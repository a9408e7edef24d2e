# What every file of this tree is compiled with; nothing of it reaches a user of the libraries.

add_compile_options(-Wall -Wextra -Woverloaded-virtual -Wimplicit-fallthrough)
# An option left out of `{.header_timeout = 5s}` has its default: that is what option aggregates are for.
add_compile_options(-Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wshadow -Wdangling -Wthread-safety)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False positives at -O2: inside std::string (GCC bug 105329, fixed in 13), and of std::optional's value.
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
endif()
if(VOLT_FAST_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-subobject-linkage)  # it takes the files compiled together for headers
endif()
if(VOLT_WERROR)
  add_compile_options(-Werror)
endif()
add_compile_options(-fno-omit-frame-pointer)
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)  # a failed check names runtime/..., wherever it was built

if(VOLT_SANITIZE)
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

if(VOLT_FUZZERS)  # what the fuzz targets link is instrumented for them
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
endif()

# volt_compile_quickly(<target>): for tests, of which there are more than of what they test: what most include is parsed
# once for all, and little is optimised. (g++ needs its -O2 for symmetric transfer to be a tail call.)
function(volt_compile_quickly target)
  target_precompile_headers(
    ${target} PRIVATE <algorithm> <array> <chrono> <coroutine> <cstdint> <cstring> <expected> <functional> <map>
    <memory> <mutex> <optional> <span> <stdexcept> <string> <string_view> <system_error> <tuple> <utility> <variant>
    <vector>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE $<IF:$<CONFIG:Release>,-O1,-O0>)
  endif()
endfunction()
