# What every file of this tree is compiled with; nothing of it reaches a user of the libraries.

add_compile_options(-Wall -Wextra -Woverloaded-virtual -Wimplicit-fallthrough)
# An option left out of `{.header_timeout = 5s}` has its default: that is what option aggregates are for.
add_compile_options(-Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wshadow -Wdangling -Wthread-safety)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # false positives inside std::string at -O2 (GCC bug 105329, fixed in 13)
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
