// SPDX-License-Identifier: MIT

// ResolveError: why a host name has no addresses.
//
//   if (addresses.error() == ResolveError::not_found) ...     // the name is wrong: do not try again
//   if (addresses.error() == std::errc::timed_out) ...        // as for other operations
#pragma once

#include <cstdint>
#include <system_error>
#include <type_traits>

namespace volt {

enum class ResolveError : std::uint8_t {
  not_found = 1,  // the name does not exist
  no_address,     // the name exists, but has neither an IPv4 nor an IPv6 address
  timed_out,      // no name server answered in time; equal to std::errc::timed_out
  server_failed,  // each name server failed or refused, sent a malformed answer, or cannot be reached
};

[[nodiscard]] const std::error_category& resolve_category() noexcept;

[[nodiscard]] inline std::error_code make_error_code(ResolveError error) noexcept {
  return {static_cast<int>(error), resolve_category()};
}

}  // namespace volt

template <>
struct std::is_error_code_enum<volt::ResolveError> : std::true_type {};
