// SPDX-License-Identifier: MIT

// ClientError: errors of a request or a response, besides the network's own errors.
#pragma once

#include <cstdint>
#include <system_error>
#include <type_traits>

namespace volt::http {

enum class ClientError : std::uint8_t {
  bad_uri = 1,        // not http://host[:port]/... or https://...; or it contains userinfo, a space or a control
  no_tls,             // the URI is https, but ClientOptions::tls is null
  malformed,          // the response is not HTTP/1, or its framing is contradictory
  too_large,          // beyond ClientOptions::head_bytes_max or body_bytes_max
  truncated,          // the connection ended before the response did
  upgraded,           // 101, but not to the protocol that the request asked for
  circuit_open,       // requests to the server failed; HttpClient::circuit() says how long none will be sent
  too_many_requests,  // beyond ClientOptions::concurrency
};

[[nodiscard]] const std::error_category& client_category() noexcept;

[[nodiscard]] inline std::error_code make_error_code(ClientError error) noexcept {
  return {static_cast<int>(error), client_category()};
}

}  // namespace volt::http

template <>
struct std::is_error_code_enum<volt::http::ClientError> : std::true_type {};
