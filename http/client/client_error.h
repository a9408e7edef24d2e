// What can be wrong with an answer, or keep a request from being sent, besides the network's own errors.
#pragma once

#include <cstdint>
#include <system_error>
#include <type_traits>

namespace volt::http {

enum class ClientError : std::uint8_t {
  bad_uri = 1,   // not http://host[:port]/..., or https://; userinfo, a space or a control in it
  no_tls,        // https, but ClientOptions::tls is null
  refused_peer,  // the transport did not come to terms with the server, and does not say why
  malformed,     // the answer is no HTTP/1, or says two things about its end
  too_large,     // ClientOptions::head_bytes_max or body_bytes_max
  truncated,     // the connection ended before the answer did
  upgraded,      // 101, which nobody asked for
};

[[nodiscard]] const std::error_category& client_category() noexcept;

[[nodiscard]] inline std::error_code make_error_code(ClientError error) noexcept {
  return {static_cast<int>(error), client_category()};
}

}  // namespace volt::http

template <>
struct std::is_error_code_enum<volt::http::ClientError> : std::true_type {};
