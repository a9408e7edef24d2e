// VOLT_CHECK aborts, in every build, on what only a bug of ours can cause. Nothing that a peer, the kernel or a file
// can bring about may reach one: that is a `Result`. (The prefix: users include our headers, and doctest owns CHECK.)
#pragma once

namespace volt::base {
[[noreturn, gnu::cold]] void check_failed(const char* condition, const char* file, int line) noexcept;
}  // namespace volt::base

#define VOLT_CHECK(condition)                                                  \
  (__builtin_expect(static_cast<bool>(condition), true) ? static_cast<void>(0) \
                                                        : ::volt::base::check_failed(#condition, __FILE__, __LINE__))
