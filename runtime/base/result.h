// SPDX-License-Identifier: MIT

// Result<T>: the outcome of an operation that a peer, the kernel or a file can make fail. The only place that names
// std::expected.
#pragma once

#include "runtime/base/compiler.h"  // first, so that its message is the first

#include <expected>
#include <system_error>

namespace volt {

template <class T>
using Result = std::expected<T, std::error_code>;

// Returns the error of a failed system call; `number` is its errno.
[[nodiscard]] inline std::unexpected<std::error_code> system_error(int number) {
  return std::unexpected(std::error_code(number, std::system_category()));
}

[[nodiscard]] inline std::unexpected<std::error_code> error(std::errc code) {
  return std::unexpected(std::make_error_code(code));
}

// Each of these functions returns whether the result contains the named error. For a result that contains a value, each
// returns false.
template <class T>
[[nodiscard]] bool would_block(const Result<T>& result) noexcept {
  return !result && result.error() == std::errc::operation_would_block;
}
template <class T>
[[nodiscard]] bool timed_out(const Result<T>& result) noexcept {
  return !result && result.error() == std::errc::timed_out;
}
template <class T>
[[nodiscard]] bool interrupted(const Result<T>& result) noexcept {
  return !result && result.error() == std::errc::interrupted;
}
template <class T>
[[nodiscard]] bool out_of_memory(const Result<T>& result) noexcept {
  return !result && result.error() == std::errc::not_enough_memory;
}

}  // namespace volt
