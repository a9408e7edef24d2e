// Result<T>: the outcome of what a peer, the kernel or a file can make fail. The one seam over std::expected.
#pragma once

#include <expected>
#include <system_error>

namespace volt {

template <class T>
using Result = std::expected<T, std::error_code>;

// The error of a failed system call.
[[nodiscard]] inline std::unexpected<std::error_code> system_error(int number) {
  return std::unexpected(std::error_code(number, std::system_category()));
}

[[nodiscard]] inline std::unexpected<std::error_code> error(std::errc code) {
  return std::unexpected(std::make_error_code(code));
}

}  // namespace volt
