// Why a TLS connection ended, as a std::error_code: what the errors of a stream below TLS do not tell.
#pragma once

#include <cstdint>
#include <system_error>
#include <type_traits>

namespace volt::tls {

enum class Error : std::uint8_t {
  truncated = 1,        // the data ended without close_notify: somebody may have cut it off (RFC 8446 section 6.1)
  plain_http,           // the first byte is a letter: HTTP without TLS, most likely. Nothing was sent: answer in plain
  negotiation_failed,   // no version, cipher suite, group or application protocol that both sides have
  certificate_refused,  // the peer's certificate is missing, does not verify, or is not for the host asked for
  refused_by_peer,      // the peer sent an alert: it does not trust our certificate, say
  malformed,            // what came breaks the protocol
  internal,             // libssl is out of memory, or asked for what we do not do
};

[[nodiscard]] const std::error_category& error_category() noexcept;

[[nodiscard]] inline std::error_code make_error_code(Error error) noexcept {
  return {static_cast<int>(error), error_category()};
}

}  // namespace volt::tls

template <>
struct std::is_error_code_enum<volt::tls::Error> : std::true_type {};
