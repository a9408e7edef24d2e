# SPDX-License-Identifier: MIT
# Sets volt_refused_compiler to the reason why Volt does not support the C++ compiler of this project; empty if it does.
# The header runtime/base/compiler.h refuses the same compilers, for builds without CMake. docs/compilers.md has the
# details.
set(volt_refused_compiler "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  string(CONCAT volt_refused_compiler
         "Volt does not support g++ ${CMAKE_CXX_COMPILER_VERSION}: it destroys temporaries in operands of co_await "
         "twice, so that correct programs crash. Use clang 19 (on Debian 12 and 13: apt-get install clang-19, then "
         "-DCMAKE_CXX_COMPILER=clang++-19) or g++ 14 (Debian 13).")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  string(CONCAT volt_refused_compiler
         "Volt does not support clang ${CMAKE_CXX_COMPILER_VERSION}: clang before 19 has no std::expected with "
         "libstdc++. Use clang 19 (on Debian 12 and 13: apt-get install clang-19, then "
         "-DCMAKE_CXX_COMPILER=clang++-19) or g++ 14 (Debian 13).")
endif()
