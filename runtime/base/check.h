// SPDX-License-Identifier: MIT

// VOLT_CHECK aborts the process, in every build, if `condition` is false. Use it only for conditions that nothing but a
// bug in Volt can violate. A failure that a peer, the kernel or a file can cause must be a `Result` instead. The macro
// is prefixed because users include these headers, and doctest defines CHECK.
#pragma once

namespace volt::base {
[[noreturn, gnu::cold]] void check_failed(const char* condition, const char* file, int line) noexcept;
}  // namespace volt::base

#define VOLT_CHECK(condition)                                                  \
  (__builtin_expect(static_cast<bool>(condition), true) ? static_cast<void>(0) \
                                                        : ::volt::base::check_failed(#condition, __FILE__, __LINE__))
