// SPDX-License-Identifier: MIT

// Refuses compilers that miscompile correct programs that use Volt, or cannot compile them (docs/compilers.md). CMake
// refuses them when it configures: cmake/package/compiler.cmake.
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

// With VOLT_CHECK_LIFETIMES, clang warns (-Wdangling) if a Task is kept longer than what its parameters refer to. It
// then also refuses every function that returns a Task without being a coroutine, unless the function has the attribute
// coro_wrapper; std::invoke and std::move_only_function are such functions. So a translation unit is not built with the
// macro. It is checked by a second translation unit, which includes it, gives the attribute to all functions, and is
// compiled for its warnings only (docs/tasks.md).
#if defined(VOLT_CHECK_LIFETIMES) && defined(__clang__)
#define VOLT_COROUTINE_RESULT [[clang::coro_return_type, clang::coro_lifetimebound]]
#else
#define VOLT_COROUTINE_RESULT
#endif
