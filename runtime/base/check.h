// SPDX-License-Identifier: MIT

// VOLT_CHECK aborts the process, in every build, if `condition` is false. Use it only for conditions that nothing but a
// bug in Volt can violate. A failure that a peer, the kernel or a file can cause must be a `Result` instead. The macro
// is prefixed because users include these headers, and doctest defines CHECK.
//
// VOLT_REQUIRE aborts the process, in every build, if the program that uses Volt is wrong. The sentence names the
// mistake and the remedy; a line with the place of the check and the functions that led to it follow. misused_by() puts
// the name of the function that the program has called before the sentence.
#pragma once

namespace volt::base {
[[noreturn, gnu::cold]] void check_failed(const char* condition, const char* file, int line) noexcept;
[[noreturn, gnu::cold]] void misused(const char* sentence, const char* file, int line) noexcept;
[[noreturn, gnu::cold]] void misused_by(const char* function, const char* sentence, const char* file,
                                        int line) noexcept;
}  // namespace volt::base

#define VOLT_CHECK(condition)                                                  \
  (__builtin_expect(static_cast<bool>(condition), true) ? static_cast<void>(0) \
                                                        : ::volt::base::check_failed(#condition, __FILE__, __LINE__))

#define VOLT_REQUIRE(condition, sentence)                                      \
  (__builtin_expect(static_cast<bool>(condition), true) ? static_cast<void>(0) \
                                                        : ::volt::base::misused(sentence, __FILE__, __LINE__))
