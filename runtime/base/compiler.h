// SPDX-License-Identifier: MIT

// Refuses compilers that translate correct programs with Volt wrongly, or not at all (docs/compilers.md). CMake refuses
// them when it configures: cmake/package/compiler.cmake.
#pragma once

#if defined(__clang__)
#if __clang_major__ < 19
#error "Volt needs clang 19 or later: earlier versions have no std::expected with libstdc++."
#endif
#elif defined(__GNUC__)
#if __GNUC__ < 13
#error "Volt needs g++ 14 (13 works) or clang 19: earlier g++ destroys temporaries in operands of co_await twice."
#endif
#endif
