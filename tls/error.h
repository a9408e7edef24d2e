// SPDX-License-Identifier: MIT

// Errors of the TLS layer as std::error_code. The errors of the stream below it are passed through unchanged.
#pragma once

#include <cstdint>
#include <system_error>
#include <type_traits>

namespace volt::tls {

enum class Error : std::uint8_t {
  truncated = 1,       // the data ended without close_notify, so it may be cut off (RFC 8446 section 6.1)
  plain_http,          // the first byte is a letter, probably of plain HTTP. Nothing was sent, so respond in plain text
  negotiation_failed,  // both sides have no version, cipher suite, group or application protocol in common
  certificate_refused,  // the peer's certificate is missing, does not verify, or is not for the requested host
  refused_by_peer,      // the peer sent an alert, for example because it does not trust our certificate
  malformed,            // the received data violates the protocol
  internal,             // libssl is out of memory, or requested an unsupported operation
};

[[nodiscard]] const std::error_category& error_category() noexcept;

[[nodiscard]] inline std::error_code make_error_code(Error error) noexcept {
  return {static_cast<int>(error), error_category()};
}

}  // namespace volt::tls

template <>
struct std::is_error_code_enum<volt::tls::Error> : std::true_type {};
